// Saves of the public API without an Idempotency-Key: they write nothing or one statement, and lose nothing beside others.
// docs/spec/internals.md#saves-without-a-transaction, docs/spec/sync.md#promise
import { describe, expect, test } from '@jest/globals'
import type { Caller } from '#contracts/caller'
import { normalTag } from '#contracts/input/text'
import type { Contact } from '#contracts/objects/contact'
import type { Sql } from '#postgres/connect'
import { readWatermark } from '#postgres/watermark'
import { duringTests } from '#testing/during-tests'
import { makeCaller, openService } from '#testing/product/one-service'
import { until } from '#testing/until'
import { deleteContact } from '../queries.ts'
import { renderAll } from '../render.ts'
import { contacts } from '../service.ts'
import { fromBackOffice, fromRequest, type PersonParams } from './contact-fields.ts'
import { lockContacts } from './queries.ts'
import { saveContact, upsertContact } from './save.ts'

type Saved = Contact & { ignored: string[]; droppedTags: string[] }
type Person = Partial<PersonParams>

const service = duringTests(() => openService(contacts))
const email = 'ada@example.com'
const phone = '+442079460958'

async function save(caller: Caller, person: Person): Promise<Saved> {
  return JSON.parse(String(await service.call('contacts.upsert', person, { caller }))).data
}

const fieldsOf = (person: Person) => fromRequest(person as PersonParams, 'GB').fields

function rowsOf(shopId: string) {
  return service.db.rows<{
    id: string
    tags: string[]
    document: string
    private_note: string | null
    version: string
  }>(
    `select id, tags, document, private_note, ctid::text || xmin::text || xmax::text as version from contacts
     where shop_id = $1 order by created_at`,
    [shopId],
  )
}

/** The rows of tags of a shop, as the list by tag reads them. */
async function listedTags(shopId: string): Promise<string[]> {
  const rows = await service.db.rows<{ tag: string }>(
    `select t.tag from contact_tags t join contacts c on c.shop_id = t.shop_id and c.id = t.contact_id
       and c.created_at = t.created_at where t.shop_id = $1 order by t.tag`,
    [shopId],
  )
  return rows.map(({ tag }) => tag)
}

const rolledBack = new Error('The work failed.')
const waiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'

/** A transaction that is open while the save waits for it. `beside` runs then. */
type Open = {
  caller: Caller
  work(tx: Sql, now: Date): Promise<unknown>
  beside?(tx: Sql): Promise<unknown>
  /** Whether it is a change of the shop, with a stamp. */
  isChange?: boolean
}

/** Saves the person behind the open transaction, which is rolled back where `beside` throws `rolledBack`, else committed. */
async function saveBehind({ caller, work, beside, isChange = true }: Open, person: Person): Promise<Saved> {
  const saves: Promise<Saved>[] = []
  const hold = async (tx: Sql, now: Date) => {
    await work(tx, now)
    saves.push(save(caller, person))
    await until(async () => (await tx.rows(waiting)).length > 0)
    await beside?.(tx)
  }
  const { db } = service
  const open = isChange ? db.change(caller.shopId, hold) : db.transaction((tx) => hold(tx, new Date()))
  await open.catch((error: unknown) => {
    if (error !== rolledBack) throw error
  })
  const [saved] = await Promise.all(saves)
  if (saved === undefined) throw new Error('Nothing was saved.')
  return saved
}

describe('a save', () => {
  test('stores the contact that it answers, in row, document, tags and list', async () => {
    const caller = makeCaller()
    const created = await save(caller, { email, tags: ['b', 'a'], name: 'Ada' })
    const changed = await save(caller, { email, phone, tags: ['c', 'A'] })
    expect(changed).toMatchObject({ id: created.id, phone, name: 'Ada', tags: ['b', 'a', 'c'], source: 'api' })
    expect([created.createdAt, changed.createdAt]).toEqual([created.updatedAt, created.updatedAt])
    expect(changed.updatedAt > created.updatedAt).toBe(true)
    const {
      optInSent: _,
      droppedTags: _dropped,
      ignored: _ignored,
      ...stored
    } = changed as Saved & { optInSent: boolean }
    const [row, ...others] = await rowsOf(caller.shopId)
    expect([JSON.parse(row?.document ?? ''), others]).toEqual([stored, []])
    expect(await listedTags(caller.shopId)).toEqual(['a', 'b', 'c'])
    expect(await renderAll(service.db)).toBe(0)
  })

  test('that changes nothing neither writes nor waits for a change that is not committed', async () => {
    const caller = makeCaller()
    const { updatedAt } = await save(caller, { email, phone, name: 'Ada', tags: ['a'] })
    await service.db.change(caller.shopId, async (tx, now) => {
      await upsertContact(tx, caller.shopId, fieldsOf({ email, tags: ['b'] }), 'api', now)
      await tx.rows('select 1') // Its answer follows that to the change.
      const before = await rowsOf(caller.shopId)
      const same = await save(caller, { email: 'ADA@example.com', phone, name: 'Eve', tags: ['A'] })
      expect(same).toMatchObject({ updatedAt, tags: ['a'], name: 'Ada', ignored: ['name'] })
      expect(await rowsOf(caller.shopId)).toEqual(before)
    })
  })

  test.each(['name', 'tags'] as const)(
    'stores the text that stands for its stamp as it is sent, in %s',
    async (field) => {
      const caller = makeCaller()
      const text = '9999-12-31T23:59:59.999Z'
      const [name, stored] = field === 'name' ? [text, []] : ['Ada', [text]]
      for (const tags of [['a'], ['b']]) {
        const saved = await save(caller, { email, name, tags: [...stored, ...tags] })
        expect(saved).toMatchObject({ name, tags: expect.arrayContaining([...stored.map(normalTag), ...tags]) })
        expect(new Date(saved.updatedAt).getTime()).toBeLessThan(Date.now() + 60_000)
      }
      expect(await renderAll(service.db)).toBe(0)
    },
  )

  test('50 saves of one person at once give one contact with every tag and its last stamp', async () => {
    const caller = makeCaller()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        save(caller, { ...(n % 2 === 0 ? { email } : { email, phone }), tags: [`t${n}`] }),
      ),
    )
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    const { tags, updatedAt } = await save(caller, { email })
    expect(tags.toSorted()).toEqual(Array.from({ length: 50 }, (_, n) => `t${n}`).toSorted())
    expect(await listedTags(caller.shopId)).toEqual(tags.toSorted())
    const stamps = answers.map((answer) => answer.updatedAt).toSorted()
    expect([new Set(stamps).size, stamps.at(-1)]).toEqual([50, updatedAt])
  })
})

describe('a save that meets an open change', () => {
  test('of the same contact keeps both, with a later stamp that no poll has passed', async () => {
    const caller = makeCaller()
    const { shopId } = caller
    await save(caller, { email, tags: ['a'] })
    const stamps: Date[] = []
    const work = async (tx: Sql, now: Date) => {
      const { contact } = await upsertContact(tx, shopId, fieldsOf({ email, tags: ['b'] }), 'api', now)
      stamps.push(contact.updated_at)
    }
    const beside = async () => stamps.push(await readWatermark(service.db, shopId))
    const saved = await saveBehind({ caller, work, beside }, { email, tags: ['c'] })
    const [first = '', watermark = ''] = stamps.map((stamp) => stamp.toISOString())
    expect(saved.tags).toEqual(['a', 'b', 'c'])
    expect([watermark <= first, first < saved.updatedAt]).toEqual([true, true])
    expect(await listedTags(shopId)).toEqual(['a', 'b', 'c'])
  })

  test('of its private note loses neither the note nor the tag', async () => {
    const caller = makeCaller()
    const { shopId } = caller
    await save(caller, { email })
    const work = (tx: Sql, now: Date) =>
      saveContact(tx, shopId, fromBackOffice({ email, privateNote: 'pays late' }, 'GB', now), now)
    const saved = await saveBehind({ caller, work }, { email, tags: ['a'] })
    const [row] = await rowsOf(shopId)
    expect([saved.tags, row?.tags, row?.private_note]).toEqual([['a'], ['a'], 'pays late'])
  })

  test('that erases the contact makes a new one, without what the erased one had', async () => {
    const caller = makeCaller()
    const { shopId } = caller
    const erased = await save(caller, { email, phone, tags: ['a'] })
    const work = (tx: Sql) => deleteContact(tx, shopId, erased.id)
    const saved = await saveBehind({ caller, work }, { email, tags: ['b'] })
    expect(saved).toMatchObject({ tags: ['b'], phone: null })
    expect((await rowsOf(shopId)).map(({ id }) => id)).toEqual([saved.id])
    expect(saved.id).not.toBe(erased.id)
    expect(await listedTags(shopId)).toEqual(['b'])
  })

  test.each([
    ['finds it', undefined, 'ADA@example.com', ['a', 'b']],
    [
      'makes it, when that change is rolled back',
      async () => {
        throw rolledBack
      },
      email,
      ['b'],
    ],
  ])('that makes the same new contact %s', async (_what, beside, stored, tags) => {
    const caller = makeCaller()
    const { shopId } = caller
    const work = (tx: Sql, now: Date) =>
      upsertContact(tx, shopId, fieldsOf({ email: 'ADA@example.com', tags: ['a'] }), 'api', now)
    const saved = await saveBehind({ caller, work, ...(beside && { beside }) }, { email, tags: ['b'] })
    expect(saved).toMatchObject({ email: stored, tags })
    expect(await rowsOf(shopId)).toHaveLength(1)
    expect(await listedTags(shopId)).toEqual(tags)
  })

  test('that gives its phone to another contact leaves the phone there', async () => {
    const caller = makeCaller()
    await save(caller, { email })
    const work = (tx: Sql, now: Date) => upsertContact(tx, caller.shopId, fieldsOf({ phone }), 'api', now)
    const saved = await saveBehind({ caller, work }, { email, phone })
    expect([saved.phone, saved.ignored]).toEqual([null, ['phone']])
    expect(await rowsOf(caller.shopId)).toHaveLength(2)
  })

  test('that makes a contact with its phone only gives that one the email', async () => {
    const caller = makeCaller()
    const work = (tx: Sql, now: Date) => upsertContact(tx, caller.shopId, fieldsOf({ phone }), 'api', now)
    const saved = await saveBehind({ caller, work }, { email, phone })
    expect([saved.email, saved.phone, saved.ignored]).toEqual([email, phone, []])
    expect(await rowsOf(caller.shopId)).toHaveLength(1)
  })

  test('two contacts of one person, saved from both sides at once, never stop each other', async () => {
    const caller = makeCaller()
    await save(caller, { email })
    await save(caller, { phone })
    const people = [{ email, phone }, { email }, { phone }, { phone, email }]
    await Promise.all(Array.from({ length: 40 }, (_, n) => save(caller, { ...people[n % 4], tags: [`t${n}`] })))
    const rows = await rowsOf(caller.shopId)
    expect(rows.flatMap(({ tags }) => tags).toSorted()).toEqual(
      Array.from({ length: 40 }, (_, n) => `t${n}`).toSorted(),
    )
  })
})

describe('the stamp of a save', () => {
  // A row that is dated ahead stands for a clock that was set back.
  test.each<[string, Person | null]>([
    ['a new contact', null],
    ['a changed contact', { email }],
  ])('is not below a change that was committed while the save waited for its locks, of %s', async (_what, before) => {
    const caller = makeCaller()
    const { shopId } = caller
    if (before !== null) await save(caller, before)
    const other = await save(caller, { email: 'eve@example.com' })
    const stamps: string[] = []
    const beside = async () => {
      const [row] = await service.db.rows<{ updated_at: Date }>(
        `update contacts set updated_at = date_trunc('milliseconds', clock_timestamp()) + interval '8 s'
         where shop_id = $1 and id = $2 returning updated_at`,
        [shopId, other.id],
      )
      stamps.push(row?.updated_at.toISOString() ?? '')
    }
    // Whoever reads a watermark has the lock of the shop until the transaction ends.
    const work = (tx: Sql) => readWatermark(tx, shopId)
    const { updatedAt } = await saveBehind({ caller, work, beside, isChange: false }, { email, tags: ['a'] })
    expect([updatedAt]).toEqual(stamps)
  })

  test('is above no watermark that a poll has read before the save is committed', async () => {
    const caller = makeCaller()
    const { shopId } = caller
    await save(caller, { email })
    const stamps: Date[] = []
    const work = (tx: Sql) => lockContacts(tx, shopId, email, null, null)
    const beside = async (tx: Sql) => {
      stamps.push(await readWatermark(service.db, shopId))
      const [clock] = await tx.rows<{ now: Date }>("select date_trunc('milliseconds', clock_timestamp()) as now")
      if (clock !== undefined) stamps.push(clock.now)
    }
    // Not a change itself, so the watermark follows from the save alone, which has its stamp by then.
    const saved = await saveBehind({ caller, work, beside, isChange: false }, { email, tags: ['a'] })
    const [watermark = '', end = ''] = stamps.map((stamp) => stamp.toISOString())
    expect(saved.tags).toEqual(['a'])
    expect([watermark <= saved.updatedAt, saved.updatedAt <= end]).toEqual([true, true])
  })
})
