import { fail } from '#kit'
import type { Failure } from '#kit'
import type { TenantKeys } from '../admin/tenant-keys.ts'
import type { Store } from '../ports/index.ts'
import { identifiersIn } from './identifiers.ts'
import { personHash } from './persons.ts'

const failure = (): Failure => fail('suppressed', 'This person is on the suppression list, so nothing is looked up or shown. Do not look for them elsewhere.')

/** The suppression list as runs ask it. */
export type Privacy = {
  /** Which of these values name somebody who is suppressed. Asked of the store each time, so that every process heeds a new entry at once. */
  suppressed(tenant: string, values: readonly unknown[]): Promise<boolean[]>
  /** @throws Failure `suppressed` */
  requireAllowed(caller: { tenant: string }, value: unknown): Promise<void>
  /** Whether a record is not to be shown. */
  hides(caller: { tenant: string }, record: unknown): Promise<boolean>
  failure(): Failure
}

export const createPrivacy = ({ store, tenantKeys }: { store: Pick<Store, 'suppressions'>; tenantKeys: TenantKeys }): Privacy => {
  const suppressed: Privacy['suppressed'] = async (tenant, values) => {
    const none = values.map(() => false)
    if (values.length === 0 || !(await store.suppressions.any(tenant))) return none
    const key = await tenantKeys.of(tenant)
    const hashes = values.map((value) => identifiersIn(value).map((identifier) => personHash(key, identifier)))
    const wanted = [...new Set(hashes.flat())]
    if (wanted.length === 0) return none
    const found = new Set(await store.suppressions.find(tenant, wanted))
    return hashes.map((some) => some.some((hash) => found.has(hash)))
  }
  const hides: Privacy['hides'] = async ({ tenant }, record) => (await suppressed(tenant, [record]))[0]!
  return {
    suppressed,
    hides,
    failure,
    async requireAllowed(caller, value) {
      if (await hides(caller, value)) throw failure()
    },
  }
}
