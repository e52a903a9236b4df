import { fail, isOutcomeUnknown } from '#kit'
import { otherRules } from '../../api/rules.ts'
import { isVisible, mayCall } from '../bounds.ts'
import type { Registry } from '../catalogue/registry.ts'
import { isBoundToPerson, isForPerson } from '../people/act-for.ts'
import type { Approval, Caller } from '../ports/index.ts'
import type { Approval as ApprovalView } from '../../api/resources/approval.ts'

type Row = Omit<Approval, 'secrets'>

const iso = (at: number) => new Date(at).toISOString()

/**
 * Whether the caller made the call: with that token, for that person, or both with neither. A program that somebody let
 * in is not that person.
 */
export const isAsker = ({ token, person, program }: Caller, row: Row): boolean =>
  (row.token !== null && row.token === token) ||
  (!program && row.callerPerson !== null && row.callerPerson === person) ||
  (row.token === null && token === undefined && row.callerPerson === (person ?? null))

/** Whether the caller made the very call: with the same token, and for the person that it acts for. */
export const isOwnCall = (caller: Caller, { token, callerPerson }: Row): boolean =>
  token === (caller.token ?? null) && isForPerson(caller, { person: callerPerson })

/**
 * Whether the caller may decide. Whoever made the call may not, unless its rule says so; nor may a program that somebody
 * let in decide about the calls of others.
 */
export const mayDecide = (caller: Caller, row: Row): boolean => {
  if (isAsker(caller, row)) return row.by === 'caller'
  if (caller.program || !mayCall(caller, otherRules.decideForOthers)) return false
  if (row.by === 'caller' || row.by === 'approvers') return true
  const { people = [], tokens = [] } = row.by
  const isPerson = caller.person !== undefined && isBoundToPerson(caller) && people.includes(caller.person)
  return isPerson || (caller.token !== undefined && tokens.includes(caller.token))
}

const isNamed = ({ by }: Row, caller: Caller): boolean =>
  typeof by === 'object' && caller.person !== undefined && (by.people?.includes(caller.person) ?? false)

/** Whether the caller may see a held run: those it asked for, and with a scope for it those that its bounds allow. */
export const maySee = (registry: Pick<Registry, 'all'>, caller: Caller, row: Row): boolean => {
  // Somebody who decides for others sees what they decide about, within the connections of the token.
  const unlimited = isNamed(row, caller) && mayDecide(caller, row) ? { ...caller, namesPerson: true as const } : caller
  return isVisible(registry, unlimited, row) && (isAsker(caller, row) || mayCall(caller, otherRules.readHeldRuns))
}

/** What a row says of its content, and the names of what it mentions. */
type Said = Pick<ApprovalView, 'summary' | 'names' | 'price' | 'version'>

export const viewRow = (caller: Caller, row: Row, said: Said, now: number): ApprovalView => {
  const { decidedAt, createdAt, expiresAt, endedAt } = row
  const isLate = row.state === 'open' && expiresAt <= now
  return {
    id: row.id,
    state: isLate ? 'expired' : row.state,
    summary: said.summary,
    kind: row.kind,
    integration: row.integration,
    step: row.step,
    connection: row.connection,
    effect: row.effect,
    credits: row.credits,
    token: row.token,
    names: said.names,
    person: row.person,
    startId: row.startId,
    rule: row.rule,
    by: row.by,
    mayDecide: row.state === 'open' && !isLate && mayDecide(caller, row),
    price: said.price,
    version: said.version,
    runId: row.runId,
    code: row.code,
    mayHaveHappened: row.code !== null && isOutcomeUnknown(fail(row.code, row.state)),
    decidedBy: row.decidedBy,
    decidedAt: decidedAt === null ? null : iso(decidedAt),
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    endedAt: endedAt === null ? null : iso(endedAt),
  }
}
