import { fail, nextTurn } from '#kit'
import type { Failure } from '#kit'
import type { TenantKey, TenantKeys } from '../admin/tenant-keys.ts'
import type { Store } from '../ports/index.ts'
import type { SuppressionList } from '../gate/pass.ts'
import { mentionsIn } from './mentions.ts'
import type { DigestMention, Mention } from './mentions.ts'
import { isComparable, mentionHash } from './persons.ts'

const failure = (): Failure =>
  fail(
    'suppressed',
    'This person is on the suppression list, so nothing is looked up or shown. Do not look for them elsewhere.',
  )

const incomparable = (field: string): Failure =>
  fail(
    'invalid_input',
    `${field === '' ? 'The request' : `"${field}"`} holds a digest of an e-mail address that cannot be compared with ` +
      'the suppression list, so nothing was sent. Give the address itself, or its SHA-256 in lower case as 64 hexadecimal digits.',
  )

/**
 * The suppression list for runs. It is read from the store each time, so that every process respects a new entry at
 * once.
 */
export type Privacy = {
  /**
   * For each request, why it must not be sent; undefined when it names nobody who is suppressed, and no digest that
   * cannot be compared.
   */
  refusals(tenant: string, requests: readonly unknown[]): Promise<(Failure | undefined)[]>
  /** For each answer, whether it names somebody who is suppressed and must not be shown. */
  suppressed(tenant: string, answers: readonly unknown[]): Promise<boolean[]>
  /** The list of one tenant. */
  of(tenant: string): SuppressionList
}

const isHiding = (mention: DigestMention) => mention.ofAddress && !isComparable(mention)

/** How many identifiers are hashed and compared in one turn of the event loop. */
const perTurn = 500

type PrivacyDependencies = { store: Pick<Store, 'suppressions'>; tenantKeys: TenantKeys }

export const createPrivacy = ({ store, tenantKeys }: PrivacyDependencies): Privacy => {
  /** The mentions that are on the list, by their keyed hashes. */
  const listed = async (tenant: string, key: TenantKey, mentions: readonly Mention[]): Promise<Set<Mention>> => {
    const listedMentions = new Set<Mention>()
    for (let from = 0; from < mentions.length; from += perTurn) {
      if (from > 0) await nextTurn()
      const some = mentions.slice(from, from + perTurn)
      const hashes = new Map(some.map((mention) => [mention, mentionHash(key, mention)]))
      const present = new Set(await store.suppressions.find(tenant, [...new Set(hashes.values())]))
      for (const [mention, hash] of hashes) if (present.has(hash)) listedMentions.add(mention)
    }
    return listedMentions
  }

  /** The mentions in each value, and which of all mentions are suppressed; undefined when the list is empty. */
  const read = async (tenant: string, values: readonly unknown[]) => {
    if (values.length === 0 || !(await store.suppressions.any(tenant))) return undefined
    const mentions: Mention[][] = []
    for (const value of values) mentions.push(await mentionsIn(value))
    return { mentions, hidden: await listed(tenant, await tenantKeys.of(tenant), mentions.flat().filter(isComparable)) }
  }

  const privacy: Privacy = {
    async suppressed(tenant, answers) {
      const reading = await read(tenant, answers)
      return answers.map(
        (_, index) => reading?.mentions[index]!.some((mention) => reading.hidden.has(mention)) ?? false,
      )
    },
    async refusals(tenant, requests) {
      const reading = await read(tenant, requests)
      return requests.map((_, index) => {
        const mentions = reading?.mentions[index] ?? []
        if (mentions.some((mention) => reading?.hidden.has(mention))) return failure()
        const hiding = mentions.filter((mention) => mention.kind === 'digest').find(isHiding)
        return hiding && incomparable(hiding.field)
      })
    },
    of: (tenant) => ({
      refusals: (requests) => privacy.refusals(tenant, requests),
      suppressed: (answers) => privacy.suppressed(tenant, answers),
      failure,
    }),
  }
  return privacy
}
