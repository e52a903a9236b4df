/** A pack whose runs of one step are held, without rules and a store: for what the faces make of that. */
import { fail, toFailureJson } from '#kit'
import type { HeldRun, Outcome } from '#kit'
import type { Pack } from '../../shared/pack.ts'
import type { ApprovalDetail } from '../../shared/api/resources/approval.ts'
import type { ApprovalRule } from '../../shared/api/resources/approval-rule.ts'

export const heldStep = 'create-list'
export const heldId = 'apr_held'
const at = '2027-03-01T10:00:00.000Z'
export const expiresAt = '2027-03-02T10:00:00.000Z'
export const heldUrl = `https://toolyard.test/console/approvals/${heldId}`
const title = 'Create List with the account "Launch"'

export const heldRun = (changes: Partial<HeldRun> = {}): HeldRun => ({
  id: heldId,
  state: 'open',
  url: heldUrl,
  expiresAt,
  by: 'caller',
  ...changes,
})

const newApproval = (): ApprovalDetail => ({
  id: heldId,
  state: 'open',
  summary: null,
  kind: 'step',
  integration: 'work-board',
  step: heldStep,
  connection: null,
  effect: 'create',
  credits: 3,
  token: 'tok_1',
  names: {},
  person: null,
  startId: null,
  rule: 'rule_1',
  by: 'caller',
  mayDecide: true,
  runId: null,
  code: null,
  mayHaveHappened: false,
  decidedBy: null,
  decidedAt: null,
  createdAt: at,
  expiresAt,
  endedAt: null,
  title,
  input: { name: 'Press' },
  requests: [{ method: 'POST', url: 'https://board.test/1/lists', body: { name: 'Press' } }],
  complete: false,
  maxCredits: null,
  price: 'credits',
  version: 1,
  reason: null,
  erased: false,
})

const newRule = (): ApprovalRule => ({
  id: 'rule_1',
  name: null,
  when: {},
  by: 'approvers',
  expiresMinutes: 1440,
  source: 'workspace',
  createdAt: at,
  updatedAt: at,
})

/** `polls`: how often an approved run is looked at before it has ended. */
export const holdRuns = ({ held = heldRun(), polls = 0 }: { held?: HeldRun; polls?: number } = {}) => {
  let approval = newApproval()
  let pollsLeft = polls
  /** The calls of its verbs, by name. */
  const calls: [verb: string, ...parameters: unknown[]][] = []
  const decide = (state: 'approved' | 'denied', changes: Partial<ApprovalDetail>) =>
    (approval = { ...approval, state, decidedAt: at, ...changes })
  const get = (id: string) => {
    if (id !== heldId) throw fail('not_found', `There is no approval "${id}".`)
    return approval
  }
  const outcome = async (run: () => Promise<Outcome>): Promise<Outcome> => {
    const meta = { runId: 'run_held', durationMs: 0, attempts: 0 } as Extract<Outcome, { ok: false }>['meta']
    if (approval.state === 'done') return run()
    const failure =
      approval.state === 'denied'
        ? fail('approval_denied', `It was denied: ${approval.reason ?? 'no reason'}.`)
        : fail(
            'approval_pending',
            `${title} waits for a decision until 2027-03-02 10:00 UTC (${heldId}). Nothing was sent.`,
            {
              approval: held,
            },
          )
    return { ok: false, failure: toFailureJson(failure), meta }
  }
  const approvals: Pack['approvals'] = {
    list: async (_, ...parameters) => {
      calls.push(['list', ...parameters])
      return { items: [approval] }
    },
    get: async (_, id) => {
      const current = get(id)
      if (current.state === 'approved' && (pollsLeft -= 1) < 0) approval = { ...current, state: 'done', endedAt: at }
      return approval
    },
    approve: async (_, id, decision) => {
      calls.push(['approve', id, decision])
      get(id)
      return decide('approved', { maxCredits: decision?.maxCredits ?? null })
    },
    outcome: () => Promise.reject(fail('not_found', 'There is none.')),
    deny: async (_, id, decision) => {
      calls.push(['deny', id, decision])
      get(id)
      return decide('denied', { reason: decision?.reason ?? null, endedAt: at })
    },
  }
  const approvalRules: Pack['approvalRules'] = {
    list: async () => ({ items: [newRule()] }),
    get: async (_, id) => ({ ...newRule(), id }),
    create: async (_, rule) => {
      calls.push(['create', rule])
      return { ...newRule(), ...rule, name: rule.name ?? null }
    },
    patch: async (_, id, changes) => {
      calls.push(['patch', id, changes])
      return { ...newRule(), id }
    },
    remove: async (_, id) => void calls.push(['remove', id]),
  }
  return {
    calls,
    /** Forgets what was decided. */
    reset() {
      approval = newApproval()
      pollsLeft = polls
      calls.length = 0
    },
    change: (pack: Pack): Pack => ({
      ...pack,
      approvals,
      approvalRules,
      steps: {
        ...pack.steps,
        run: (caller, call) =>
          call.step === heldStep ? outcome(() => pack.steps.run(caller, call)) : pack.steps.run(caller, call),
      },
    }),
  }
}
