import { randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { Audit } from './audit.ts'
import type { Caller, Clock, Keyring, Log, MasterKey, PagedKind, Store, Vault } from '../ports/index.ts'
import type { KeyRotation as Rotation, Keys as KeysView } from '../../api/resources/keys.ts'

export type { KeysView, Rotation }

/** The result of re-sealing all sealed values; see the store's `resealAll`. */
export type Reseal = () => Promise<{
  resealed: number
  fresh: number
  failed: { kind: string; tenant: string; id: string; reason: string }[]
}>

export type Keys = {
  get(): Promise<KeysView>
  /**
   * Re-seals everything under a new master key while the pack keeps serving.
   * @throws Failure `conflict` while another rotation is in progress
   */
  rotate(caller: Caller): Promise<Rotation>
  /** Finishes a rotation that a process did not complete, and re-seals a restored backup under the current key. */
  resume(): Promise<void>
}

const pagedKinds: PagedKind[] = ['outcome', 'run_contents', 'name']

/** Longer than any write can be in progress that was sealed before the key changed. */
const settleMs = 1_000

type KeysDependencies = {
  keyring: Keyring
  vault: Vault
  reseal: Reseal
  store: Pick<Store, 'sealed' | 'flush' | 'audit' | 'cluster'>
  audit: Audit
  clock: Clock
  log: Log
}

export const createKeys = ({ keyring, vault, reseal, store, audit, clock, log }: KeysDependencies): Keys => {
  let { keys } = keyring
  /** Former keys that stay in the key file, because earlier backups do not contain their keys. */
  const kept = () =>
    keyring.save ? keys.map(({ id }) => id).filter((id) => id !== vault.keyId && !vault.previous().includes(id)) : []
  let isRotating = false

  /**
   * Saves the new key before anything is sealed under it; the old one stays until nothing is sealed under it any more.
   */
  const makeKey = async () => {
    if (!keyring.save) return false
    // The other processes would keep using their configured key, and could not read what is sealed under the new one.
    if (store.cluster)
      throw fail(
        'conflict',
        'Several servers may share this database, so none of them makes a new master key. Set TOOLYARD_MASTER_KEY to a new key and TOOLYARD_OLD_MASTER_KEYS to the present one on every server, restart them, then rotate: that seals everything under the new key.',
      )
    const key = randomBytes(32)
    const next: MasterKey[] = [{ id: '', key }, ...keys]
    await keyring.save(next)
    next[0]!.id = vault.use(key)
    keys = next
    return true
  }

  const sweep = async (): Promise<Omit<Rotation, 'made'>> => {
    const first = await reseal()
    await store.flush()
    await clock.sleep(settleMs)
    const second = await reseal()
    // Signs with the new key before the former ones are dropped: afterwards their signatures could not be verified.
    await store.audit.signWith(vault)
    const failed = second.failed
    const stale = (await store.sealed.all()).filter((row) => vault.stale(row.sealed))
    const former = vault.previous()
    const isDone = failed.length === 0 && stale.length === 0
    if (isDone && keyring.save && keyring.inBackups) {
      keys = keys.filter(({ id }) => id === vault.keyId)
      await keyring.save(keys)
    }
    if (isDone) for (const id of former) vault.drop(id)
    return {
      keyId: vault.keyId,
      resealed: first.resealed + second.resealed,
      failed,
      dropped: isDone ? former : [],
      kept: kept(),
    }
  }

  return {
    async get() {
      const rows: Record<string, number> = {}
      for (const { sealed } of await store.sealed.all()) {
        const id = vault.sealedUnder(sealed) ?? 'unknown'
        rows[id] = (rows[id] ?? 0) + 1
      }
      return { present: vault.keyId, previous: vault.previous(), kept: kept(), rows }
    },
    async rotate(caller) {
      if (isRotating) throw fail('conflict', 'A rotation of the master key is going on. Wait until it has ended.')
      isRotating = true
      try {
        const before = vault.keyId
        const made = await makeKey()
        const done = { made, ...(await sweep()) }
        const decision = `${done.resealed} rows sealed again, ${done.failed.length} cannot be opened; ${done.dropped.length > 0 ? `needed by earlier backups only: ${done.dropped.join(', ')}` : 'former keys stay'}`
        await audit.changed(caller, { what: 'keys.rotate', decision, keyId: done.keyId })
        log(done.failed.length > 0 ? 'error' : 'info', 'keys.rotated', {
          before,
          present: done.keyId,
          resealed: done.resealed,
          failed: done.failed.length,
        })
        return done
      } finally {
        isRotating = false
      }
    },
    async resume() {
      if (keys.length < 2 || !keyring.save) return
      if (
        !keyring.inBackups &&
        !(await store.sealed.all()).some((row) => vault.stale(row.sealed)) &&
        (await Promise.all(pagedKinds.map((kind) => store.sealed.paged(kind, vault.keyId, 1)))).flat().length === 0
      ) {
        for (const id of vault.previous()) vault.drop(id)
        return
      }
      const { resealed, failed } = await sweep()
      log(failed.length > 0 ? 'error' : 'warn', 'keys.rotation_resumed', { resealed, failed: failed.length })
    },
  }
}
