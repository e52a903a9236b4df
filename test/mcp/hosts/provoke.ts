/** A server whose calls end with each code: what a model has to be able to read is what the run ended with. */
import { fail, toFailureJson } from '#kit'
import type { FailureCode, FailureJson, Outcome } from '#kit'
import type { Pack } from '../../../shared/pack.ts'
import { findIds } from '../../sandbox/board-client.ts'
import { caller } from '../../support/world.ts'
import { openMcpWorld } from '../../support/mcp-world.ts'
import { startSandbox } from '../../../shared/sandbox/index.ts'
import type { Sandbox } from '../../../shared/sandbox/index.ts'
import type { McpWorld } from '../../support/mcp-world.ts'

export type Provocation = {
  code: FailureCode
  tool: string
  args: Record<string, unknown>
  prepare?: (world: McpWorld) => void
}

type Board = McpWorld['sandbox']['board']['control']
type Contact = McpWorld['sandbox']['contact']['control']
const board = (fault: Parameters<Board['fault']>[0]) => (world: McpWorld) =>
  void world.sandbox.board.control.fault(fault)
const contact = (fault: Parameters<Contact['inject']>[0]) => (world: McpWorld) =>
  world.sandbox.contact.control.inject(fault)
const boards = { path: '/1/members/me/boards' }
const text = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/plain' }, body })
const nobody = 'f'.repeat(24)

/**
 * No tool call leads to these while the way to the tools is open and nothing of ours is broken, so the runtime is made
 * to end with them.
 */
const staged: FailureCode[] = [
  'unauthenticated',
  'bad_signature',
  'budget_exceeded',
  'internal',
  'unavailable',
  'cancelled',
]

/**
 * One call for each code, of tools that are listed by default, in an order in which none stands in the way of the next.
 */
export const provocations = (idList: string): Provocation[] => [
  { code: 'invalid_input', tool: 'work_board_get_card', args: { idCard: 'no such form' } },
  { code: 'not_found', tool: 'work_board_get_card', args: { idCard: nobody } },
  { code: 'not_allowed', tool: 'work_board_api_call', args: { method: 'GET', path: '/1/tokens/me' } },
  { code: 'not_connected', tool: 'anz_data_company_enrichment', args: { domain: 'papermill.com.au' } },
  { code: 'wire_unset', tool: 'contact_data_search_companies', args: { industry: 'Printing' } },
  {
    code: 'conflict',
    tool: 'work_board_create_list',
    args: { idBoard: nobody, name: 'Ideas' },
    prepare: board({ match: { method: 'POST', path: '/1/lists' }, answer: text(409, 'In use already') }),
  },
  {
    code: 'too_large',
    tool: 'work_board_add_comment_to_card',
    args: { idCard: nobody, text: 'Ready' },
    prepare: board({ match: { method: 'POST', path: `/1/cards/${nobody}` }, answer: text(413, 'Too long') }),
  },
  {
    code: 'outcome_unknown',
    tool: 'work_board_create_card',
    args: { idList, name: 'Press kit' },
    prepare: board({ match: { method: 'POST', path: '/1/cards' }, cut: 'reset', when: 'after' }),
  },
  {
    code: 'rejected',
    tool: 'work_board_get_boards',
    args: {},
    prepare: board({ match: boards, answer: text(400, 'invalid value for filter') }),
  },
  {
    code: 'access_denied',
    tool: 'work_board_get_boards',
    args: {},
    prepare: board({ match: boards, answer: text(403, 'Not yours to see') }),
  },
  {
    code: 'bad_reply',
    tool: 'work_board_get_boards',
    args: {},
    prepare: board({ match: boards, answer: text(200, '<html>') }),
  },
  {
    code: 'provider_failed',
    tool: 'work_board_get_boards',
    args: {},
    prepare: board({ match: boards, times: 9, answer: text(500, 'Sorry') }),
  },
  {
    code: 'unreachable',
    tool: 'work_board_get_card',
    args: { idCard: nobody },
    prepare: board({ match: { path: `/1/cards/${nobody}` }, times: 9, cut: 'reset' }),
  },
  {
    code: 'suppressed',
    tool: 'contact_data_find_company',
    args: { domain: 'wattle.example' },
    prepare: contact({ answer: { status: 451, body: { error: 'Opted out' } } }),
  },
  {
    code: 'credits_exhausted',
    tool: 'contact_data_find_company',
    args: { domain: 'wattle.example' },
    prepare: contact({ answer: { status: 402, body: { error: 'No credits left' } } }),
  },
  {
    code: 'rate_limited',
    tool: 'contact_data_find_company',
    args: { domain: 'wattle.example' },
    prepare: contact({
      times: 9,
      answer: { status: 429, headers: { 'retry-after': '900' }, body: { error: 'Slow down' } },
    }),
  },
  ...staged.map((code) => ({ code, tool: 'work_board_get_boards', args: { connection: `staged:${code}` } })),
]

/** More than any answer holds. */
export const manyCards = 250
export type HostWorld = McpWorld & {
  /** The list of many cards. */
  idList: string
  /** Of the last run; one that an earlier round left behind does not count. */
  lastFailure(): FailureJson | undefined
  /** Ends what a provocation set up. */
  clear(): void
}

/** The operator has not said where companies are searched for. */
const withoutSearch = ({ wire }: Sandbox) => {
  const contactData = wire['contact-data']!
  const endpoints = contactData.endpoints as Record<string, object>
  const search = { ...endpoints['search-companies'], path: null }
  return { 'contact-data': { endpoints: { ...endpoints, 'search-companies': search } } }
}

/** The sandboxes, a list of many cards, no account of one integration, and a note of what the last run ended with. */
export const openHostWorld = async (): Promise<HostWorld> => {
  let last: FailureJson | undefined
  // A host that cannot cancel leaves a run behind, which ends at some time during what comes later.
  let round = 0
  const noting = (pack: Pack): Pack => {
    const run: Pack['steps']['run'] = async (by, call): Promise<Outcome> => {
      const startedIn = round
      const [, code] = /^staged:(\w+)$/.exec(call.connection ?? '') ?? []
      const makeFailure = () =>
        fail(code as FailureCode, `It ended with ${code}. Look at the card "Press kit" before you repeat it.`)
      const meta = { runId: '01a1fe07-c67c-716c-ac48-bcf2f7013932', durationMs: 1, attempts: 0 }
      const outcome: Outcome = code
        ? { ok: false, failure: toFailureJson(makeFailure()), meta }
        : await pack.steps.run(by, call)
      if (startedIn === round) last = outcome.ok ? undefined : outcome.failure
      return outcome
    }
    return { ...pack, steps: { ...pack.steps, run } }
  }
  const sandbox = await startSandbox()
  const world = await openMcpWorld({ change: noting, sandbox, wire: withoutSearch(sandbox) })
  for (const { id } of await world.pack.connections.list(caller, { integration: 'anz-data' }))
    await world.pack.connections.remove(caller, id)
  const { control } = world.sandbox.board
  const by = 'odettequill'
  const { id: idList } = control.createList({ by, idBoard: findIds(world.sandbox.board).board, name: 'Posters' })
  for (let number = 1; number <= manyCards; number += 1) control.createCard({ by, idList, name: `Poster ${number}` })
  return {
    ...world,
    idList,
    lastFailure: () => last,
    clear() {
      round += 1
      control.clearFaults()
      world.sandbox.contact.control.reset()
    },
    async close() {
      await world.close()
      await sandbox.close()
    },
  }
}
