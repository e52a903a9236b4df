/** What this tab was asked to run. In memory only: inputs may be personal data, so they do not outlive the page. */
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
