import { failField } from '#kit'
import type { TenantKeys } from '../admin/tenant-keys.ts'
import type { Caller, Clock, Listed, Page, Store, Suppression } from '../ports/index.ts'
import type { GivenIdentifier } from './identifiers.ts'
import { givenHash } from './persons.ts'
import type { Suppression as SuppressionView } from '../../api/resources/suppression.ts'

export type { SuppressionView }

export type Suppressions = {
  /**
   * Adds entries; `present`: how many were on the list before. @throws Failure `invalid_input` naming the entry;
   * nothing is added then
   */
  add(
    caller: Caller,
    entries: GivenIdentifier[],
    source?: Suppression['source'],
  ): Promise<{ added: number; present: number }>
  remove(caller: Caller, entries: GivenIdentifier[]): Promise<{ removed: number }>
  /** False when there is no entry with this id. */
  removeById(caller: Caller, id: string): Promise<boolean>
  list(caller: Caller, page: Page): Promise<Listed<SuppressionView>>
}

type SuppressionsDependencies = { store: Pick<Store, 'suppressions' | 'tenants'>; tenantKeys: TenantKeys; clock: Clock }

export const createSuppressions = ({ store, tenantKeys, clock }: SuppressionsDependencies): Suppressions => {
  const read = async (tenant: string, entries: GivenIdentifier[]) => {
    if (!(await store.tenants.get(tenant))) throw failField('tenant', `There is no tenant "${tenant}".`, 'not_found')
    const key = await tenantKeys.of(tenant)
    const all = entries.map((entry, index) => givenHash(key, entry, `/entries/${index}`))
    return [...new Map(all.map((row) => [row.hash, row])).values()]
  }
  return {
    async add({ tenant }, entries, source = 'manual') {
      const rows = (await read(tenant, entries)).map(({ hash, kind }) => ({
        tenant,
        hash,
        kind,
        source,
        createdAt: clock.now(),
      }))
      const added = await store.suppressions.add(rows)
      return { added, present: rows.length - added }
    },
    async remove({ tenant }, entries) {
      const rows = await read(tenant, entries)
      return {
        removed: await store.suppressions.remove(
          tenant,
          rows.map(({ hash }) => hash),
        ),
      }
    },
    removeById: async ({ tenant }, id) => (await store.suppressions.remove(tenant, [id])) > 0,
    async list({ tenant }, page) {
      const { items, ...paging } = await store.suppressions.list(tenant, page)
      return {
        items: items.map(({ hash, kind, source, createdAt }) => ({
          id: hash,
          kind,
          source,
          createdAt: new Date(createdAt).toISOString(),
        })),
        ...paging,
      }
    },
  }
}
