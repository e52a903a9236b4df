import { randomBytes } from 'node:crypto'
import { isFailure } from '#kit'
import type { Hook, SealedSecrets, Vault } from '../../ports/index.ts'

/** `pending`: written down, and not known to have reached the provider; `current` goes on until it has. */
type Plain = { current?: string; pending?: string; previous?: string }

const secretBytes = 32

export type HookSecrets = ReturnType<typeof createHookSecrets>

/** Signing secrets that we make, one for each hook, where the provider takes them. */
export const createHookSecrets = (vault: Pick<Vault, 'seal' | 'open'>) => {
  const scopeOf = ({ tenant, id }: Pick<Hook, 'tenant' | 'id'>) => ({ tenant, owner: id })
  const open = (hook: Hook): Plain => {
    try {
      return vault.open(scopeOf(hook), hook.secrets)
    } catch (thrown) {
      // Under a master key that is lost: deliveries are refused then, and the hook gets another secret.
      if (isFailure(thrown)) return {}
      throw thrown
    }
  }
  const seal = (hook: Pick<Hook, 'tenant' | 'id'>, plain: Plain): SealedSecrets => vault.seal(scopeOf(hook), plain)
  const fresh = () => randomBytes(secretBytes).toString('hex')

  return {
    /** What deliveries may be signed with: two at most. */
    valid(hook: Hook): string[] {
      const { current, pending, previous } = open(hook)
      return [current, pending ?? previous].filter((secret) => secret !== undefined)
    },
    /** What the provider is to sign with from now on; undefined: none was made yet. */
    wantedSecret(hook: Hook): string | undefined {
      const { current, pending } = open(hook)
      return pending ?? current
    },
    first: (hook: Pick<Hook, 'tenant' | 'id'>): SealedSecrets => seal(hook, { current: fresh() }),
    /**
     * Another one. Should the last one never have reached the provider, that one again: two that are unknown would end
     * the one it signs with.
     */
    renewed(hook: Hook): SealedSecrets {
      const { current, pending } = open(hook)
      return current === undefined
        ? seal(hook, { current: fresh() })
        : seal(hook, { current, pending: pending ?? fresh() })
    },
    /**
     * The provider has what is wanted; the one before stays valid for deliveries under way. undefined: nothing changes.
     */
    reached(hook: Hook): SealedSecrets | undefined {
      const { current, pending } = open(hook)
      return pending === undefined
        ? undefined
        : seal(hook, { current: pending, ...(current === undefined ? {} : { previous: current }) })
    },
  }
}
