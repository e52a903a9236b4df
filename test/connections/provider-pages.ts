/**
 * Plays the person at the provider's consent page, without a browser: opens it, decides, gives where the browser is
 * sent.
 */
export const decide = async (address: string, decision: 'allow' | 'deny', member?: string): Promise<URL> => {
  const page = await fetch(address, { redirect: 'manual' })
  const { origin } = new URL(address)
  const consent = /name="consent" value="([0-9a-f]+)"/.exec(await page.text())?.[1]
  if (consent === undefined) throw new Error(`no consent page: ${page.status}`)
  const body = new URLSearchParams({ consent, decision, ...(member ? { member } : {}) })
  const decided = await fetch(`${origin}/consent`, { method: 'POST', body, headers: { origin }, redirect: 'manual' })
  const location = decided.headers.get('location')
  if (location === null) throw new Error(`the browser is sent nowhere: ${decided.status} ${await decided.text()}`)
  return new URL(location)
}
