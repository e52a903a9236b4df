import { randomUUIDv7 } from 'node:crypto'
import { fail, isFailure } from '#kit'
import type { Json, Outcome } from '#kit'
import type { Approval, ApprovalRule, ApprovalState, Caller, SealedSecrets, Vault } from '../ports/index.ts'
import type { SendPlan } from './match.ts'

/** What an approval holds besides its row, sealed. */
export type HeldContent = {
  /** As whom it is sent. */
  caller: Omit<Caller, 'tenant'>
  /** The call, as whoever sends it reads it. */
  call: Json
  title: string
  input: Json
  /** As a dry run shows them. */
  requests: Json[]
  /** Hashes of those that change or cost something: what is sent must be among them. */
  shown: string[]
  complete: boolean
  /** Whether it goes on over many things, each with requests of its own. */
  isMany?: boolean
  /** The most that it may cost, in credits; null: nothing; `unknown`: nobody knows. */
  credits: number | null | 'unknown'
  /** Hash of what was read to find out what would be sent. */
  state: string
  /** Counts how often it was held with something else to send. */
  version: number
  /** What identifies its connections as they were. */
  connection: string
  /** What it may spend, where whoever approved it lowered that. */
  maxCredits?: number
  /** What happened to it while it waited. */
  note?: string
  /** Why it was denied, or ended otherwise. */
  reason?: string
}

/** How large a run may be that waits, in characters of JSON. */
const maxContent = 256 * 1024

/** @throws Failure `too_large` */
export const boundedContent = (content: HeldContent): HeldContent => {
  if (JSON.stringify(content).length <= maxContent) return content
  throw fail(
    'too_large',
    `A rule holds this run for approval, and a run that waits may have at most ${maxContent / 1024} kB. Nothing was sent. Split it into smaller ones.`,
  )
}

/** The part of a plan that is shown to whoever decides. */
export const readPlan = ({ requests, shown, complete, isMany, credits, state }: SendPlan) => ({
  requests: requests as Json[],
  shown: [...shown],
  complete,
  ...(isMany ? { isMany } : {}),
  credits: credits === undefined ? ('unknown' as const) : credits,
  state,
})

/** The caller of a call that goes on without a request. Its start id is stored apart, in another form. */
export const readCaller = ({ tenant: _, startId: __, usable: ___, ...caller }: Caller): HeldContent['caller'] => caller

const ownerOf = (id: string) => `approval:${id}`
const open: ApprovalState[] = ['open', 'approved', 'sending']
export const isOpen = ({ state }: Pick<Approval, 'state'>) => open.includes(state)

const readable = (read: () => Record<string, string>): Record<string, string> => {
  try {
    return read()
  } catch (thrown) {
    if (isFailure(thrown)) return {}
    throw thrown
  }
}

/** Seals and opens what approvals hold: inputs and answers may be personal data. */
export const createApprovalSeal = (vault: Pick<Vault, 'seal' | 'open'>) => ({
  seal: (
    { tenant, id }: Pick<Approval, 'tenant' | 'id'>,
    content: HeldContent | undefined,
    outcome?: Outcome,
  ): SealedSecrets =>
    vault.seal(
      { tenant, owner: ownerOf(id) },
      {
        ...(content ? { content: JSON.stringify(content) } : {}),
        ...(outcome ? { outcome: JSON.stringify(outcome) } : {}),
      },
    ),
  /** Undefined: erased, too old, or its master key is not here. */
  open({ tenant, id, secrets }: Pick<Approval, 'tenant' | 'id' | 'secrets'>): {
    content: HeldContent | undefined
    outcome: Outcome | undefined
  } {
    const { content, outcome } = readable(() => vault.open({ tenant, owner: ownerOf(id) }, secrets))
    return {
      content: content === undefined ? undefined : (JSON.parse(content) as HeldContent),
      outcome: outcome === undefined ? undefined : (JSON.parse(outcome) as Outcome),
    }
  },
})
export type ApprovalSeal = ReturnType<typeof createApprovalSeal>

/** A new row for a call that a rule holds. */
export const newApproval = (
  call: Pick<
    Approval,
    'tenant' | 'kind' | 'identity' | 'integration' | 'step' | 'connection' | 'startId' | 'effect' | 'credits' | 'person'
  > & { caller: Caller },
  rule: ApprovalRule,
  now: number,
): Omit<Approval, 'secrets'> => {
  const { caller, ...facts } = call
  const expiresAt = now + rule.expiresMinutes * 60_000
  return {
    ...facts,
    id: `apr_${randomUUIDv7()}`,
    state: 'open',
    revision: 0,
    token: caller.token ?? null,
    callerPerson: caller.person ?? null,
    rule: rule.id,
    by: rule.by,
    runId: null,
    attempt: null,
    code: null,
    decidedBy: null,
    decidedAt: null,
    createdAt: now,
    expiresAt,
    nextAt: expiresAt,
    endedAt: null,
  }
}
