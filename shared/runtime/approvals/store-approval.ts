import { randomUUIDv7 } from 'node:crypto'
import { isFailure } from '#kit'
import type { Json, Outcome } from '#kit'
import type { Approval, ApprovalRule, ApprovalState, Caller, SealedSecrets, Vault } from '../ports/index.ts'
import type { ShownRequest } from './permits.ts'

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
  /** Those that change or cost something: what is sent must be among them. */
  shown: ShownRequest[]
  complete: boolean
  price?: Json
  /** What identifies the connection as it was. */
  connection: string
  /** What it may spend, where whoever approved it lowered that. */
  maxCredits?: number
  /** Why it was denied, or ended otherwise. */
  reason?: string
}

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
    'tenant' | 'kind' | 'identity' | 'integration' | 'step' | 'connection' | 'startId' | 'effect' | 'credits'
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
    person: caller.person ?? null,
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
