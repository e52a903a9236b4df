import type { OptionPage } from '#kit'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { AccountForm } from '../../runtime/catalogue/account-form.ts'
import type { AccountFieldsCall, OptionsCall, TriggerOptionsCall } from '../../runtime/options.ts'
import type { BudgetView } from '../../runtime/credits/budgets.ts'
import type { Listed, SpentRow, UsageRow } from '../../runtime/ports/index.ts'
import type { RunDetail, RunFilter, RunView } from '../../runtime/steps/runs.ts'
import type { WireCheck } from '../../runtime/steps/wire-check.ts'
import type { Ask } from './request.ts'
import { query } from './trigger-client.ts'
import type { Asked, Paging } from './trigger-client.ts'

export type OptionsAsked = Omit<OptionsCall, 'signal'> | Omit<TriggerOptionsCall, 'signal'>

/** `spent`: credits by day, step and token. */
export type UsageReport = { items: UsageRow[]; spent: SpentRow[]; budgets: BudgetView[] }

const post = { method: 'post' }

/** The verbs about step runs and the connections they use. All throw Failure. */
export const recordVerbs = (ask: Ask) => {
  const at = (...parts: string[]) => ['v1', ...parts.map(encodeURIComponent)].join('/')
  return {
    runs: (page: Paging, filter: Asked<RunFilter>): Promise<Listed<RunView>> => ask(at('runs'), query({ ...page, ...filter })),
    run: (id: string): Promise<RunDetail & { output?: unknown }> => ask(at('runs', id)),
    usage: (days: number): Promise<UsageReport> => ask(at('usage'), query({ days })),
    connection: (id: string): Promise<ConnectionView> => ask(at('connections', id)),
    testConnection: (id: string): Promise<ConnectionView> => ask(at('connections', id, 'test'), { ...post, timeout: 60_000 }),
    wireCheck: (id: string, spend: boolean): Promise<WireCheck> => ask(at('connections', id, 'wire-check'), { ...post, json: { spend }, timeout: 300_000 }),
    makeDefault: (id: string): Promise<ConnectionView> => ask(at('connections', id), { method: 'patch', json: { isDefault: true } }),
    removeConnection: (id: string): Promise<void> => ask(at('connections', id), { method: 'delete', timeout: 60_000 }),
    fields: ({ integration, step, ...json }: Omit<AccountFieldsCall, 'signal'>): Promise<AccountForm> =>
      ask(at('steps', integration, step, 'fields'), { ...post, json }),
    options({ integration, ...asked }: OptionsAsked): Promise<OptionPage> {
      if ('step' in asked) {
        const { step, ...json } = asked
        return ask(at('steps', integration, step, 'options'), { ...post, json })
      }
      const { trigger, ...json } = asked
      return ask(at('triggers', integration, trigger, 'options'), { ...post, json })
    },
  }
}
export type RecordVerbs = ReturnType<typeof recordVerbs>
