// Audit of a shop: what operators changed or tried to change in it, and one entry beside the list.
import { useMemo } from 'preact/hooks'
import { api } from '../../frame/session.ts'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { auditList, type AuditScope } from './audit-list.tsx'
import { EntryDetail } from './entry-detail.tsx'

type AuditQuery = NonNullable<Parameters<typeof api.audit.list>[1]>

export function Audit({ shop: { handle, timeZone }, id }: ScreenProps) {
  const scope = useMemo<AuditScope>(() => {
    const apiPath = `/shops/${handle}/audit`
    return {
      path: `/s/${handle}/audit`,
      title: words.screens.audit,
      empty: words.audit.empty,
      zone: timeZone,
      shop: handle,
      list: (query, signal) => api.audit.list(handle, query as AuditQuery, { signal }),
      ways: (query) => [
        asCurl(location.origin, { method: 'GET', path: apiPath, query }),
        asCommand('audit', handle, query),
      ],
    }
  }, [handle, timeZone])
  const config = useMemo(() => auditList(scope), [scope])
  return (
    <ListAndObject config={config} id={id} one={words.audit.one}>
      {(open, place) => <EntryDetail key={open} scope={scope} id={open} place={place} />}
    </ListAndObject>
  )
}
