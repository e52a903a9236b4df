import { createChunkSealer, newFileKey, openChunk } from '../files/cipher.ts'
import type { StoredListRow, StoredPeopleList, Vault } from '../ports/index.ts'
import { maxRowBytes } from './read-rows.ts'
import type { ListValues } from './read-rows.ts'

const listOwner = (id: string) => `people_list:${id}`
const placeOf = (tenant: string, list: string, at: number) => ({ tenant, id: listOwner(list), number: at })

/** The sealed key of a new list. */
export const newListSecrets = (vault: Pick<Vault, 'seal'>, tenant: string, id: string) =>
  vault.seal({ tenant, owner: listOwner(id) }, { key: newFileKey().toString('base64') })

type Owned = Pick<StoredPeopleList, 'tenant' | 'id' | 'secrets'>
const keyOfList = (vault: Pick<Vault, 'open'>, { tenant, id, secrets }: Owned) =>
  Buffer.from(vault.open({ tenant, owner: listOwner(id) }, secrets)['key'] ?? '', 'base64')

/** Seals and opens the rows of a list. @throws Failure `unavailable` when its key is missing or a row is damaged */
export const createRowSeal = (vault: Pick<Vault, 'open'>, list: Owned) => {
  const key = keyOfList(vault, list)
  const sealChunk = createChunkSealer(key, 2 * maxRowBytes)
  const { tenant, id } = list
  return {
    seal(at: number, checkedAt: number | null, values: ListValues): StoredListRow {
      // The sealer uses its buffer again.
      const content = Buffer.from(sealChunk(placeOf(tenant, id, at), Buffer.from(JSON.stringify(values))))
      return { tenant, list: id, at, checkedAt, content }
    },
    open: ({ at, content }: Pick<StoredListRow, 'at' | 'content'>): ListValues =>
      JSON.parse(openChunk(key, placeOf(tenant, id, at), content).toString()) as ListValues,
  }
}
export type RowSeal = ReturnType<typeof createRowSeal>

/** The text of one row, for the search for people. */
export const openListRow = (vault: Pick<Vault, 'open'>, list: Owned, at: number, content: Uint8Array): string =>
  openChunk(keyOfList(vault, list), placeOf(list.tenant, list.id, at), content).toString()
