import type { OptionPage } from '#kit'
import type { Pack } from '../../pack.ts'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { OptionsCall, TriggerOptionsCall } from '../../runtime/options.ts'
import type { Caller, Listed, UsageRow } from '../../runtime/ports/index.ts'
import type { RunFilter, RunView } from '../../runtime/steps/runs.ts'
import type { AskServer } from './operator.ts'
import { query } from './trigger-client.ts'
import type { Paging } from './trigger-client.ts'

export type OptionsAsked = Omit<OptionsCall, 'signal'> | Omit<TriggerOptionsCall, 'signal'>

/** What was done and with which accounts, whether over a running server or over a pack in this process. All throw Failure. */
export type RecordVerbs = {
  runs(page: Paging, filter: RunFilter): Promise<Listed<RunView>>
  run(id: string): Promise<RunView & { output?: unknown }>
  usage(days: number): Promise<UsageRow[]>
  connection(id: string): Promise<ConnectionView>
  testConnection(id: string): Promise<ConnectionView>
  options(asked: OptionsAsked): Promise<OptionPage>
}

/** Over a pack in this process. */
export const embeddedRecords = (pack: Pack, caller: Caller): RecordVerbs => ({
  runs: (page, filter) => pack.runs.list(caller, page, filter),
  run: (id) => pack.runs.get(caller, id),
  usage: (days) => pack.runs.usage(caller, days),
  connection: (id) => pack.connections.get(caller, id),
  testConnection: (id) => pack.connections.test(caller, id),
  options: (asked) => ('step' in asked ? pack.steps.options(caller, asked) : pack.triggers.options(caller, asked)),
})

const post = { method: 'post' }

/** Over a running server. */
export const remoteRecords = (ask: AskServer): RecordVerbs => {
  const at = (...parts: string[]) => ['v1', ...parts.map(encodeURIComponent)].join('/')
  return {
    runs: (page, filter) => ask('v1/runs', query({ ...page, ...filter })),
    run: (id) => ask(at('runs', id)),
    usage: async (days) => (await ask<{ items: UsageRow[] }>('v1/usage', query({ days }))).items,
    connection: (id) => ask(at('connections', id)),
    testConnection: (id) => ask(at('connections', id, 'test'), { ...post, timeout: 60_000 }),
    options({ integration, ...asked }) {
      if ('step' in asked) {
        const { step, ...json } = asked
        return ask(at('steps', integration, step, 'options'), { ...post, json })
      }
      const { trigger, ...json } = asked
      return ask(at('triggers', integration, trigger, 'options'), { ...post, json })
    },
  }
}
