import type { Json } from '#kit'
import type {
  Approval,
  Budget,
  BudgetPeriod,
  Connection,
  Gap,
  Notice,
  NotificationType,
  Run,
  Start,
  Subscription,
} from './ports/index.ts'

const minute = 60_000
const hour = 60 * minute

/** Notification types, each with its window in ms: within it, one notification is sent per subject. */
export const notificationWindows: { [type in NotificationType]: number } = {
  'connection.created': hour,
  'connection.needs_reconnect': hour,
  'subscription.unhealthy': hour,
  'start.dead': 10 * minute,
  'gap.found': 10 * minute,
  'deprecation.used': 24 * hour,
  'budget.warned': hour,
  'approval.requested': minute,
  'approval.ended': minute,
}

type Owned = { person?: string | null; externalId: string | null; labels: Record<string, string> }
const owner = (row: Owned | undefined) => ({
  person: row?.person ?? null,
  externalId: row?.externalId ?? null,
  labels: row?.labels ?? {},
})
const iso = (at: number) => new Date(at).toISOString()

const notice = (
  type: NotificationType,
  of: { tenant: string; connection: string; about: string; at: number },
  data: { [name: string]: Json },
): Notice => ({
  ...of,
  type,
  windowMs: notificationWindows[type],
  data,
})

const ofConnection = (
  type: NotificationType,
  row: Connection,
  at: number,
  more: { [name: string]: Json } = {},
): Notice[] => [
  notice(
    type,
    { tenant: row.tenant, connection: row.id, about: row.id, at },
    {
      connection: row.id,
      integration: row.integration,
      ...owner(row),
      name: row.name,
      account: row.accountId === null ? null : { id: row.accountId, name: row.accountName },
      ...more,
    },
  ),
]

export const connectionCreated = (row: Connection, at: number) =>
  ofConnection('connection.created', row, at, { type: row.type, state: row.state })

/** Empty unless the new state is `needs_reconnect`. */
export const connectionChanged = (
  row: Connection,
  { state, stateReason }: Partial<Connection>,
  at: number,
): Notice[] =>
  state === 'needs_reconnect'
    ? ofConnection('connection.needs_reconnect', row, at, { reason: stateReason ?? null })
    : []

const ofSubscription = (
  type: NotificationType,
  row: Subscription,
  at: number,
  more: { [name: string]: Json },
): Notice[] => [
  notice(
    type,
    { tenant: row.tenant, connection: row.connection, about: row.id, at },
    {
      subscription: row.id,
      connection: row.connection,
      integration: row.integration,
      trigger: row.trigger,
      agent: row.agent.id ?? null,
      ...owner(row),
      ...more,
    },
  ),
]

export const subscriptionUnhealthy = (
  row: Subscription,
  { state, stateReason }: Pick<Subscription, 'state' | 'stateReason'>,
  at: number,
) => ofSubscription('subscription.unhealthy', row, at, { state, reason: stateReason })

/** `summary`: what happened, in one line. */
export const startDead = (
  { id, event, attempts }: Start,
  row: Subscription,
  { status, summary, at }: { status: number | null; summary: string | null; at: number },
) => ofSubscription('start.dead', row, at, { start: id, event, summary, attempts, status })

export const gapNotices = (gaps: readonly Gap[], connection: Connection | undefined): (Notice & { gap: string })[] =>
  gaps.map((gap) => ({
    gap: gap.id,
    ...notice(
      'gap.found',
      { tenant: gap.tenant, connection: gap.connection, about: gap.connection, at: gap.createdAt },
      {
        gap: gap.id,
        connection: gap.connection,
        integration: connection?.integration ?? null,
        ...owner(connection),
        model: gap.model,
        from: iso(gap.fromAt),
        to: iso(gap.toAt),
        kind: gap.kind,
        reason: gap.reason,
      },
    ),
  }))

type Replacement = { deprecated?: { since: string; use: string } | undefined; legacy?: { use: string } | undefined }

/** Notice of a run whose step has a replacement. */
export const deprecatedRun = (
  { deprecated, legacy }: Replacement,
  run: Run,
  connection: Connection | undefined,
): Notice[] => {
  const replacement = deprecated ?? legacy
  if (!replacement) return []
  const { tenant, integration, step, createdAt: at } = run
  const data = {
    integration,
    step,
    use: replacement.use,
    deprecatedSince: deprecated?.since ?? null,
    connection: run.connection,
    ...owner(connection),
    run: run.id,
    token: run.token,
  }
  return [
    notice(
      'deprecation.used',
      { tenant, connection: run.connection ?? '', about: `${integration}/${step} ${run.connection ?? ''}`, at },
      data,
    ),
  ]
}

/** Notice of a subscription whose trigger has a replacement. */
export const deprecatedSubscription = ({ deprecated }: Replacement, row: Subscription): Notice[] =>
  deprecated
    ? ofSubscription('deprecation.used', row, row.createdAt, { use: deprecated.use, deprecatedSince: deprecated.since })
    : []

/** Notice of a budget that has reached its `warnAt` share, counting spent and reserved credits. */
export const budgetWarned = (
  budget: Budget,
  { startsAt, endsAt, spent, reserved }: BudgetPeriod,
  at: number,
): Notice => {
  const { tenant, id, scope, subject, integration, credits, period, warnAt } = budget
  return notice(
    'budget.warned',
    { tenant, connection: scope === 'connection' ? (subject ?? '') : '', about: `${id} ${startsAt}`, at },
    // A `total` budget ends at the latest representable time, which many date parsers reject.
    {
      budget: id,
      scope,
      subject,
      integration,
      credits,
      period,
      warnAt,
      spent,
      reserved,
      periodStart: iso(startsAt),
      periodEnd: period === 'total' ? null : iso(endsAt),
    },
  )
}

const ofApproval = (type: NotificationType, row: Approval, at: number, more: { [name: string]: Json }): Notice => {
  const { tenant, id, kind, integration, step, connection, token, person, credits, state } = row
  return notice(
    type,
    { tenant, connection: connection ?? '', about: id, at },
    { approval: id, state, kind, integration, step, connection, token, person, credits, ...more },
  )
}

/** Notice of a run that waits for a decision. It names what is done and for whom, not the record. */
export const approvalRequested = (row: Approval, at: number, url: string | undefined): Notice =>
  ofApproval('approval.requested', row, at, { expiresAt: iso(row.expiresAt), url: url ?? null })

/** Notice of how a run ended that waited. */
export const approvalEnded = (row: Approval, at: number): Notice =>
  ofApproval('approval.ended', row, at, { code: row.code, runId: row.runId, decidedBy: row.decidedBy })
