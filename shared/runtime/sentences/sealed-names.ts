import { isFailure, maxPartLength, oneLine } from '#kit'
import type { NamedRef } from '#kit'
import type { ConnectionName } from '../../api/resources/connection-name.ts'
import type { StoredName, Vault } from '../ports/index.ts'
import type { ConnectionThing } from './worded.ts'

const maxIdLength = 300
/** How much of a name is read, even where much of it is white space. */
const maxRead = 4 * maxPartLength
const maxUrlLength = 1_000

/** The owner of a sealed name: a name that was moved to another thing does not open. */
const ownerOf = ({ connection, kind, id }: ConnectionThing) => `name:${JSON.stringify([connection, kind, id])}`

/** Printable ASCII with single spaces: most names are like this, and need no cleaning. */
const cleanPattern = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

/** The name as it is stored; undefined for one that says nothing or is out of bounds. */
export const cleanName = ({ kind, id, name, url }: NamedRef): ConnectionName | undefined => {
  const start = name.slice(0, maxRead)
  const line = cleanPattern.test(start) ? start : oneLine(start).replace(/\s+/g, ' ').trim()
  if (line === '' || kind === '' || id === '' || kind.length > maxIdLength || id.length > maxIdLength) return undefined
  const isLink = url !== undefined && url.length <= maxUrlLength && /^https?:\/\//i.test(url)
  return {
    kind,
    id,
    name: line.length > maxPartLength ? `${line.slice(0, maxPartLength - 1)}…` : line,
    ...(isLink ? { url } : {}),
  }
}

export const sealName = (
  vault: Pick<Vault, 'seal' | 'keyId'>,
  { tenant, connection, seenAt }: Pick<StoredName, 'tenant' | 'connection' | 'seenAt'>,
  { kind, id, name, url }: ConnectionName,
): StoredName => ({
  tenant,
  connection,
  kind,
  id,
  secrets: vault.seal(
    { tenant, owner: ownerOf({ connection, kind, id }) },
    url === undefined ? { name } : { name, url },
  ),
  sealedUnder: vault.keyId,
  seenAt,
})

/** Undefined when its master key is gone or the row is damaged: then nobody knows the name. */
export const openName = (vault: Pick<Vault, 'open'>, row: StoredName): ConnectionName | undefined => {
  try {
    const { name, url } = vault.open({ tenant: row.tenant, owner: ownerOf(row) }, row.secrets)
    return name === undefined ? undefined : { kind: row.kind, id: row.id, name, ...(url === undefined ? {} : { url }) }
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    return undefined
  }
}
