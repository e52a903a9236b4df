import type { PersonExport, ErasureReceipt } from '../../runtime/privacy/persons-data.ts'
import type { GivenIdentifier } from '../../runtime/privacy/identifiers.ts'
import type { SuppressionView } from '../../runtime/privacy/suppressions.ts'
import type { Ask } from './request.ts'

export type { ErasureReceipt, GivenIdentifier, PersonExport, SuppressionView }

/** Everything that is stored is read. */
const searchTimeoutMs = 3_600_000

/** The verbs about people. All throw Failure. */
export const privacyVerbs = (ask: Ask) => ({
  suppressions: (searchParams: Record<string, string>): Promise<{ items: SuppressionView[]; next?: string }> => ask('v1/suppressions', { searchParams }),
  suppress: (json: { tenant: string; entries: GivenIdentifier[]; source?: 'file' }): Promise<{ added: number; present: number }> =>
    ask('v1/suppressions', { method: 'post', json }),
  unsuppress: (json: { tenant: string; entries: GivenIdentifier[] }): Promise<{ removed: number }> => ask('v1/suppressions/remove', { method: 'post', json }),
  exportPerson: (json: { tenant: string; identifiers: GivenIdentifier[] }): Promise<PersonExport> =>
    ask('v1/privacy/export', { method: 'post', json, timeout: searchTimeoutMs }),
  erasePerson: (json: { tenant: string; identifiers: GivenIdentifier[]; suppress: boolean }): Promise<ErasureReceipt> =>
    ask('v1/privacy/erase', { method: 'post', json, timeout: searchTimeoutMs }),
})
export type PrivacyVerbs = ReturnType<typeof privacyVerbs>
