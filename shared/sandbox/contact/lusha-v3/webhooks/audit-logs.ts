/** The log of deliveries: successful ones for 90 days, failed ones for 180. */
import type { Handler } from '../../../lookups/server.ts'
import { answered, pageOf, refused } from './requests.ts'
import type { AuditLog, Webhooks } from './state.ts'

const dayMs = 86_400_000
const keptMs = { success: 90 * dayMs, failed: 180 * dayMs, permanent_failure: 180 * dayMs }
const statuses = Object.keys(keptMs)

const keptLogs = ({ world, logs }: Webhooks, subscriptionId: string | null): AuditLog[] =>
  logs.filter(
    (row) =>
      world.now() - Date.parse(row.deliveredAt) <= keptMs[row.status] &&
      (subscriptionId === null || row.subscriptionId === subscriptionId),
  )

export const auditRoutes = (webhooks: Webhooks): Record<string, Handler> => ({
  'GET /api/audit-logs': ({ query }) => {
    const status = query.get('status')
    if (status !== null && !statuses.includes(status))
      return refused(400, `status must be one of: ${statuses.join(', ')}`)
    const rows = keptLogs(webhooks, query.get('subscriptionId')).filter(
      (row) => status === null || row.status === status,
    )
    return pageOf(query, rows, 50, ['subscriptionId', 'status'])
  },
  'GET /api/audit-logs/stats': ({ query }) => {
    const unknown = [...query.keys()].find((name) => name !== 'subscriptionId')
    if (unknown !== undefined) return refused(400, `property ${unknown} should not exist`)
    const rows = keptLogs(webhooks, query.get('subscriptionId'))
    const success = rows.filter(({ status }) => status === 'success').length
    const rate = rows.length === 0 ? 0 : (100 * success) / rows.length
    return answered(200, {
      total: rows.length,
      success,
      failed: rows.length - success,
      successRate: `${rate.toFixed(2)}%`,
    })
  },
})
