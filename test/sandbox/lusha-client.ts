import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

const dataSet = createDataSet()
export const people = dataSet.people.filter(({ knownTo }) => knownTo.includes('contact'))
export const callable = people.filter(({ suppressed }) => !suppressed)
export const optedOut = people.find(({ suppressed, workEmail }) => suppressed && workEmail)!
export const companies = dataSet.companies.filter(({ knownTo }) => knownTo.includes('contact'))
/** With work e-mail, LinkedIn profile and numbers. */
export const full = callable.filter(
  ({ workEmail, linkedinSlug, phones }) => workEmail && linkedinSlug && phones.length > 0,
)
export const withoutPhones = callable.find(({ workEmail, phones }) => workEmail && phones.length === 0)!
/** Words for names the fictional people do not have. */
export const nobody = 'nobody@nobody.example'

export const clientOf = (sandbox: () => ContactSandbox) => {
  const send = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const { origin, credentials } = sandbox()
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(origin + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(headers ?? { api_key: credentials.apiKey }),
      },
      ...content,
    })
    const text = await reply.text()
    return { status: reply.status, headers: reply.headers, body: JSON.parse(text) as any }
  }
  return {
    send,
    post: (path: string, body: unknown) => send('POST', path, body),
    get: (path: string) => send('GET', path),
    charged: () => sandbox().control.counters().creditsCharged,
    chargedFor: () => sandbox().control.counters().creditsFor,
  }
}
