/**
 * The runs requested in this tab. Kept only in memory: inputs may be personal data, so they must not outlive the page.
 */
export type Intent = {
  integration: string
  step: string
  connection: string | undefined
  input: Record<string, unknown>
}

const maxRemembered = 50
const byRun = new Map<string, Intent>()

export const remember = (runId: string, intent: Intent) => {
  byRun.set(runId, intent)
  const [oldest] = byRun.keys()
  if (byRun.size > maxRemembered && oldest !== undefined) byRun.delete(oldest)
}
export const recall = (runId: string | undefined) => (runId === undefined ? undefined : byRun.get(runId))
