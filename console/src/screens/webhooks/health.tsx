// How the attempts of an endpoint went in the last day: in two cells of the list, and as facts of the endpoint.
import type { ComponentChildren } from 'preact'
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { problemOf } from '../../frame/errors.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { Fact } from '../../parts/object/facts.tsx'
import { When } from '../../parts/when.tsx'
import { words } from '../../words/en.ts'

export type Health = BackOfficeSchemas['EndpointHealth']
export type HealthReader = { version: number; read(id: string): Promise<Health> }

const text = words.webhooks

/** Reads the health of each endpoint once, however many cells show it. Another version reads it again. */
export function healthReader(shop: string, version: number): HealthReader {
  const known = new Map<string, Promise<Health>>()
  return {
    version,
    read(id) {
      const health = known.get(id) ?? api.endpoints.health(shop, id)
      known.set(id, health)
      return health
    },
  }
}

type HealthCellProps = { id: string; from: HealthReader; show(health: Health): ComponentChildren }

/** Comes after the list, and fails alone. */
export function HealthCell({ id, from, show }: HealthCellProps) {
  const { data, error } = useLoad(`health ${id} ${from.version}`, () => from.read(id))
  if (error !== null) {
    return (
      <span class="soft" title={problemOf(error).why}>
        {text.notLoaded}
      </span>
    )
  }
  return data === null ? null : <>{show(data)}</>
}

export function shareOf({ attempts, succeeded }: Health): string {
  return attempts === 0 ? text.noAttempt : text.share(succeeded, attempts)
}

export function p95Of({ p95Ms }: Health): string {
  return p95Ms === null ? '' : text.milliseconds(p95Ms)
}

export function HealthFacts({ health, zone }: { health: Health; zone: string }) {
  const { attempts, oldestUndeliveredAt } = health
  return (
    <div class="facts">
      <dl>
        <Fact label={text.succeeded}>
          {shareOf(health)} {attempts > 0 && <span class="soft">{text.ofAttempts(attempts)}</span>}
        </Fact>
        <Fact label={text.p95}>{p95Of(health)}</Fact>
        <Fact label={text.oldest}>
          {oldestUndeliveredAt === null ? text.nothingOwed : <When at={oldestUndeliveredAt} zone={zone} />}
        </Fact>
      </dl>
    </div>
  )
}
