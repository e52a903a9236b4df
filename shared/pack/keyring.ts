import { tenantKeyOwner } from '../runtime/admin/tenant-keys.ts'
import type { Keyring, SealedRow, Store } from '../runtime/ports/index.ts'
import {
  createVault,
  keyIdOf,
  newMasterKey,
  readSealedFile,
  requireKeys,
  requireNothingSealed,
  wrappedKeyring,
} from '../store/index.ts'
import type { Wrapping } from '../store/index.ts'
import type { PackOptions } from '../pack-types.ts'

const isKeyring = (keySource: Keyring | Wrapping): keySource is Keyring => 'keys' in keySource

export const openKeyring = async ({ masterKey: keySource, lostKeys }: PackOptions, store: Store): Promise<Keyring> => {
  if (keySource === undefined || Buffer.isBuffer(keySource)) {
    const key = keySource ?? newMasterKey()
    return { keys: [{ id: keyIdOf(key), key }] }
  }
  return isKeyring(keySource) ? keySource : wrappedKeyring(store, keySource, lostKeys)
}

const prefixed = new Set<SealedRow['kind']>([
  'app',
  'authorization',
  'file',
  'outcome',
  'run_contents',
  'sample',
  'unclaimed',
  'job',
  'people_list',
  'approval',
  'name',
])

/** The owner that the runtime names when it seals a row; a value sealed for another owner does not open. */
export const sealedOwner = ({ kind, id }: SealedRow) =>
  prefixed.has(kind)
    ? `${kind}:${id}`
    : kind === 'notification'
      ? 'notifications'
      : kind === 'tenant_key'
        ? tenantKeyOwner
        : id

/**
 * Checks that these keys open the secrets in a data directory's database, without a process that serves it.
 * @throws Failure `unavailable` naming the keys that are needed and those that were given
 */
export const checkStoredSecrets = (file: string, keyring: Keyring | undefined, lost: string[]): Promise<void> =>
  readSealedFile(file, (sealed) => {
    const [present, ...previous] = keyring?.keys ?? []
    if (!present) return requireNothingSealed({ sealed }, lost)
    return requireKeys(
      { sealed },
      createVault({ masterKey: present.key, keyId: present.id, previous }),
      sealedOwner,
      lost,
    )
  })
