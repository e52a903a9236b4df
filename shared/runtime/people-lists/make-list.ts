import { randomUUIDv7 } from 'node:crypto'
import { fail, failField } from '#kit'
import { isBound, keyOf } from '../bounds.ts'
import { hashRequest, requireKeyFormat } from '../idempotency.ts'
import { actFor } from '../people/act-for.ts'
import type { Caller, StoredPeopleList } from '../ports/index.ts'
import type { NewList } from '../../api/resources/people-list.ts'
import { idPrefix, rowsAtOnce } from './parts.ts'
import type { ListDependencies } from './parts.ts'
import { readContent } from './read-content.ts'
import type { NewContent } from './read-content.ts'
import { createRowSeal, newListSecrets } from './sealed-rows.ts'
import { withoutSuppressed } from './visible-rows.ts'

/** A list that is to be stored. With an `idempotencyKey`, a repeat returns the list that the first request made. */
export type NewListCall = NewList & { idempotencyKey?: string | undefined }

const maxLists = 100
const defaultDays = 365
const day = 86_400_000
/** A list whose process died while storing its rows expires after this time. */
const maxWritingMs = 3_600_000
// oxlint-disable-next-line no-control-regex -- control characters are what it refuses
const nameFormat = /^[^\u0000-\u001f\u007f]{1,100}$/

const requireName = (name: string): string => {
  const plain = name.trim()
  if (!nameFormat.test(plain) || plain.startsWith(idPrefix))
    throw failField('name', `The name of a list has 1 to 100 characters and does not begin with "${idPrefix}".`)
  return plain
}

/** Names are unique among the lists that the same callers see. */
const ownerOf = (caller: Caller): string =>
  caller.person !== undefined ? `person ${caller.person}` : isBound(caller) ? `token ${caller.token ?? ''}` : ''

type RequestKey = Pick<StoredPeopleList, 'key' | 'requestHash'>

/** By what a repeat of the request is recognised. @throws Failure `invalid_input` */
const requestKeyOf = async (
  { digest }: ListDependencies,
  caller: Caller,
  { idempotencyKey, person: _, ...newList }: NewListCall,
): Promise<RequestKey> => {
  if (idempotencyKey === undefined) return { key: null, requestHash: null }
  requireKeyFormat(idempotencyKey)
  const { tenant } = caller
  return {
    key: await digest(tenant, keyOf(caller, idempotencyKey)),
    requestHash: await digest(tenant, hashRequest([newList])),
  }
}

/** The list that an earlier request with the same key has made. @throws Failure `conflict` where it was another request */
const findEarlier = async (
  { store, clock }: ListDependencies,
  tenant: string,
  { key, requestHash }: RequestKey,
): Promise<StoredPeopleList | undefined> => {
  const earlier = key === null ? undefined : await store.peopleLists.byKey(tenant, key)
  if (!earlier) return undefined
  if (earlier.expiresAt <= clock.now()) {
    await store.peopleLists.remove(tenant, earlier.id)
    return undefined
  }
  if (earlier.requestHash !== requestHash)
    throw fail('conflict', 'This Idempotency-Key was used for another list. Use a new key.')
  return earlier
}

/** Stores the rows of a list that is `writing`. Returns how many were left out. */
const append = async (
  parts: ListDependencies,
  list: StoredPeopleList,
  { rows, checkedAt }: NewContent,
): Promise<number> => {
  const seal = createRowSeal(parts.vault, list)
  let at = 0
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const next = rows.slice(from, from + rowsAtOnce).map((values) => ({ values }))
    const batch = await withoutSuppressed(parts, list, next)
    const sealed = batch.map(({ values }) => seal.seal(at++, checkedAt, values))
    if (sealed.length > 0) await parts.store.peopleLists.append(sealed)
  }
  return rows.length - at
}

/** Makes a list with its rows, or nothing. Returns the earlier one where a request with the same key was faster. */
const storeList = async (parts: ListDependencies, list: StoredPeopleList, content: NewContent, expiresAt: number) => {
  const { store } = parts
  const { tenant, id, name, createdAt } = list
  if (!(await store.peopleLists.add(list, maxLists)))
    throw fail('not_allowed', `This tenant has ${maxLists} lists, the most it can have. Delete one first.`)
  try {
    const finished = { expiresAt, leftOut: await append(parts, list, content) }
    if (await store.peopleLists.finish(tenant, id, createdAt, finished)) return { ...list, ...finished }
    const earlier = await findEarlier(parts, tenant, list)
    if (!earlier)
      throw failField(
        'name',
        `A list named "${name}" already exists. Delete it first, or choose another name.`,
        'conflict',
      )
    await store.peopleLists.remove(tenant, id)
    return earlier
  } catch (error) {
    await store.peopleLists.remove(tenant, id)
    throw error
  }
}

/** Stores new lists. */
export const createMakeList =
  (parts: ListDependencies) =>
  async (requestedBy: Caller, newList: NewListCall): Promise<StoredPeopleList> => {
    const caller = actFor(requestedBy, newList.person)
    const { tenant } = caller
    const name = requireName(newList.name)
    const requestKey = await requestKeyOf(parts, caller, newList)
    // The file or run that the first request read may be gone by now.
    const earlier = await findEarlier(parts, tenant, requestKey)
    if (earlier) return earlier
    const content = await readContent(parts, caller, newList)
    const id = `${idPrefix}${randomUUIDv7()}`
    const now = parts.clock.now()
    const list: StoredPeopleList = {
      tenant,
      id,
      name,
      owner: ownerOf(caller),
      kind: newList.kind ?? 'person',
      state: 'writing',
      source: content.source,
      columnNames: content.columns,
      connections: caller.connections ?? null,
      token: caller.token ?? null,
      person: caller.person ?? null,
      secrets: newListSecrets(parts.vault, tenant, id),
      ...requestKey,
      leftOut: null,
      createdAt: now,
      expiresAt: now + maxWritingMs,
    }
    return storeList(parts, list, content, now + (newList.expiresInDays ?? defaultDays) * day)
  }
