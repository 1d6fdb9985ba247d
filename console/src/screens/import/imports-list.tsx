// The list of imports: its columns, and the same list elsewhere.
import type { ComponentChildren } from 'preact'
import { api } from '../../frame/session.ts'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { nameOf, outcomeWords, stateWords, toneOf } from './report.ts'
import type { Import } from './run.ts'

const { columns: label, ...text } = words.imports

export function importsList(
  { handle, timeZone: zone }: Shop,
  { above, version }: { above: ComponentChildren; version: number },
): ListConfig<Import> {
  const apiPath = `/shops/${handle}/imports`
  return {
    name: 'imports',
    title: words.screens.import,
    path: `/s/${handle}/import`,
    zone,
    filters: [],
    columns: [
      {
        label: label.format,
        cell: (one) => (
          <>
            {nameOf(one)} {one.dryRun && <span class="tag">{text.dryRun}</span>}
          </>
        ),
      },
      { label: label.status, cell: (one) => <Status tone={toneOf(one)} word={stateWords(one)} /> },
      { label: label.outcome, cell: outcomeWords, isExtra: true },
      { label: label.rows, cell: ({ records }) => records.toLocaleString(words.locale), isNumber: true, isExtra: true },
      { label: label.begun, cell: ({ createdAt }) => <When at={createdAt} zone={zone} />, isNumber: true },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.imports.list(handle, query, { signal }),
    actions: [],
    exports: [],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('imports list', handle, query),
    ],
    curlOf: (id) => asCurl(location.origin, { method: 'GET', path: `${apiPath}/${id}` }).text,
    empty: { sentence: text.empty },
    above,
    version,
  }
}
