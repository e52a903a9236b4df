import { randomUUID } from 'node:crypto'
import { failField } from '#kit'
import type { Audit } from '../admin/audit.ts'
import type { TenantKeys } from '../admin/tenant-keys.ts'
import type { Caller, Clock, Store } from '../ports/index.ts'
import { readIdentifier } from './identifiers.ts'
import type { GivenIdentifier, Identifier } from './identifiers.ts'
import { decoded, mentionsInText } from './mentions.ts'
import type { Mention } from './mentions.ts'
import { digestsOf, personHash } from './persons.ts'
import type { StoredItem, StoredPart } from './stored-data.ts'
import type { Suppressions } from './suppressions.ts'
import type { ErasureReceipt, PersonExport } from '../../api/resources/privacy.ts'

export type { ErasureReceipt, PersonExport }

export type PersonsData = {
  /** Everything stored about a person. @throws Failure `invalid_input` */
  export(caller: Caller, identifiers: GivenIdentifier[]): Promise<PersonExport>
  /**
   * Removes all of it permanently. `suppress`: first adds the identifiers to the suppression list. @throws Failure
   * `invalid_input`, `unavailable`
   */
  erase(
    caller: Caller,
    identifiers: GivenIdentifier[],
    options?: { suppress?: boolean | undefined },
  ): Promise<ErasureReceipt>
}

type PersonsDataDependencies = {
  store: Pick<Store, 'personal' | 'suppressions' | 'tenants'>
  tenantKeys: TenantKeys
  parts: StoredPart[]
  /** Parts that can be shown but not changed. */ fixed: StoredPart[]
  /** Replaces idempotency keys stored in plain text by digests. */ digestKeys(tenant: string): Promise<void>
  suppressions: Suppressions
  clock: Clock
  audit: Pick<Audit, 'changed'>
  /** Writes all pending rows. */ flush(): Promise<void>
  /** Drops the answers of a tenant that processes hold in memory. */ forget(tenant: string): Promise<void>
}

const maxRecords = 1000
/** Runs that end meanwhile may store more, so the search is repeated up to this often. */
const maxRounds = 3

const nameOf = ({ kind, value }: Mention) => `${kind} ${value}`

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type PersonTerms = { names: ReadonlySet<string>; values: string[] }
/** `texts`: those that name the person. `isWhole`: all of its content could be read. */
type Match = { byLabel: boolean; texts: string[]; isWhole: boolean }

/** Whether a name that a caller chose contains one of the values. */
const labels = (label: string, values: string[]): boolean => {
  const plain = decoded(label).normalize('NFC').toLowerCase()
  return values.some((value) => plain.includes(value))
}

const matchIn = async (item: StoredItem, { names, values }: PersonTerms): Promise<Match> => {
  const byLabel = labels(item.label, values)
  const texts: string[] = []
  let isWhole = true
  for await (const text of item.texts()) {
    if (text === undefined) {
      isWhole = false
      continue
    }
    const mentions = await mentionsInText(text)
    if (mentions.some((mention) => names.has(nameOf(mention)))) texts.push(text)
  }
  return { byLabel, texts, isWhole }
}

/** Exports and erases what is stored about people, found by any of their identifiers, in any spelling. */
export const createPersonsData = ({
  store,
  tenantKeys,
  parts,
  fixed,
  digestKeys,
  suppressions,
  clock,
  audit,
  flush,
  forget,
}: PersonsDataDependencies): PersonsData => {
  const read = async (tenant: string, givenIdentifiers: GivenIdentifier[]) => {
    if (!(await store.tenants.get(tenant))) throw failField('tenant', `There is no tenant "${tenant}".`, 'not_found')
    const key = await tenantKeys.of(tenant)
    const identifiers = givenIdentifiers.map((identifier, index) => readIdentifier(identifier, `/identifiers/${index}`))
    const digests = identifiers.flatMap(digestsOf)
    const searchTerms: PersonTerms = {
      names: new Set([...identifiers.map(nameOf), ...digests.map((digest) => `digest ${digest}`)]),
      values: [...identifiers.map(({ value }) => value), ...digests],
    }
    return { wanted: searchTerms, persons: [...new Set(identifiers.map((identifier) => personHash(key, identifier)))] }
  }

  /** Calls `take` for each item that names the person; returns how many others could not be read to their end. */
  const search = async (
    within: StoredPart[],
    tenant: string,
    searchTerms: PersonTerms,
    take: (item: StoredItem, trace: { byLabel: boolean; texts: string[] }) => Promise<void>,
  ) => {
    let unread = 0
    for (const part of within)
      for await (const item of part.each(tenant)) {
        const { byLabel, texts, isWhole } = await matchIn(item, searchTerms)
        if (byLabel || texts.length > 0) await take(item, { byLabel, texts })
        else if (!isWhole) unread += 1
      }
    return unread
  }

  return {
    async export({ tenant }, identifiers) {
      const { wanted: searchTerms, persons } = await read(tenant, identifiers)
      await flush()
      const records: PersonExport['records'] = []
      const identifiersByName = new Map<string, Identifier>()
      let more = false
      const unread = await search([...parts, ...fixed], tenant, searchTerms, async ({ kind, id, at }, { texts }) => {
        const mentions = kind === 'lookup' ? await Promise.all(texts.map(mentionsInText)) : []
        for (const mention of mentions.flat())
          if (mention.kind !== 'digest') identifiersByName.set(nameOf(mention), mention)
        if (records.length >= maxRecords) more = true
        else
          records.push({
            kind,
            id,
            at: at === null ? null : new Date(at).toISOString(),
            data: kind === 'file' ? null : texts.map(parsed),
          })
      })
      const alsoKnownAs = [...identifiersByName].flatMap(([name, identifier]) =>
        searchTerms.names.has(name) ? [] : [identifier],
      )
      return {
        records,
        more,
        alsoKnownAs,
        suppressed: (await store.suppressions.find(tenant, persons)).length > 0,
        unread,
      }
    },
    async erase(caller, identifiers, { suppress = false } = {}) {
      const { tenant } = caller
      const { wanted: searchTerms, persons } = await read(tenant, identifiers)
      if (suppress) await suppressions.add(caller, identifiers)
      const removed: Record<string, number> = {}
      await digestKeys(tenant)
      let unread = 0
      for (let round = 0; round < maxRounds; round += 1) {
        await flush()
        let count = 0
        unread = await search(parts, tenant, searchTerms, async (item, { byLabel }) => {
          if (!(await item.erase(byLabel))) return
          count += 1
          removed[item.kind] = (removed[item.kind] ?? 0) + 1
        })
        if (count === 0) break
      }
      let auditRows = 0
      await search(fixed, tenant, searchTerms, async () => void (auditRows += 1))
      await forget(tenant)
      const copies = await store.personal.purge()
      const receipt = {
        id: `era_${randomUUID()}`,
        at: new Date(clock.now()).toISOString(),
        tenant,
        persons,
        removed,
        unread,
        copies,
        auditRows,
      }
      const total = Object.values(removed).reduce((sum, count) => sum + count, 0)
      await audit.changed(caller, {
        what: 'privacy.erase',
        decision: `erased ${total} for ${persons.map((hash) => hash.slice(0, 22)).join(' ')}`.slice(0, 300),
      })
      return { ...receipt, suppressed: (await store.suppressions.find(tenant, persons)).length > 0 }
    },
  }
}
