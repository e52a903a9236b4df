/** The control functions over HTTP, for other processes: below /_control, without key, limits or recording. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Fault } from './faults.ts'
import { noMatchForms } from './world.ts'
import type { Control, NoMatchForm } from './world.ts'

type Body = Record<string, unknown>

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isOptional = (value: unknown, test: (value: unknown) => boolean) => value === undefined || test(value)

const attempt = (change: () => void): string | undefined => {
  try {
    change()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns a sentence about what is wrong with the request, or carries it out and returns undefined. */
export type Verb = (body: Body) => string | undefined

const verbs = (control: Control): Record<string, Verb> => ({
  credits: ({ remaining }) => {
    if (!isCount(remaining)) return '"remaining" has to be a count.'
    control.setCredits(remaining)
    return undefined
  },
  'no-match': ({ form }) => {
    if (!noMatchForms.includes(String(form))) return `"form" has to be one of ${noMatchForms.join(', ')}.`
    control.setNoMatch(form as NoMatchForm)
    return undefined
  },
  limits: ({ requests, windowMs }) => {
    if (!isOptional(requests, isCount) || !isOptional(windowMs, isCount)) {
      return '"requests" and "windowMs" have to be counts.'
    }
    control.setLimits({
      ...(requests === undefined ? {} : { requests: requests as number }),
      ...(windowMs === undefined ? {} : { windowMs: windowMs as number }),
    })
    return undefined
  },
  windows: (body) =>
    Object.values(body).every(isCount)
      ? attempt(() => control.setWindows(body as Record<string, number>))
      : 'What a window admits has to be a count.',
  switches: (body) =>
    attempt(() =>
      control.setSwitches(Object.fromEntries(Object.entries(body).map(([name, choice]) => [name, String(choice)]))),
    ),
  faults: (body) => {
    const { answer, times, skip, delayMs, cut, when } = body
    if (!isOptional(answer, (value) => typeof value === 'object' && isCount((value as Body | null)?.status))) {
      return '"answer" needs a "status".'
    }
    if (![times, skip, delayMs].every((value) => isOptional(value, isCount))) {
      return '"times", "skip" and "delayMs" have to be counts.'
    }
    if (!isOptional(cut, (value) => ['reset', 'partial', 'hang'].includes(String(value)))) {
      return '"cut" is reset, partial or hang.'
    }
    if (!isOptional(when, (value) => value === 'before' || value === 'after')) return '"when" is before or after.'
    control.inject(body as Fault)
    return undefined
  },
  reset: () => {
    control.reset()
    return undefined
  },
})

const readBody = (request: FastifyRequest): Body | undefined => {
  if (request.body === undefined || request.body === '') return {}
  // Pages of other sites can send text/plain here without a preflight request, so only JSON is read.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return undefined
  try {
    const value = JSON.parse(String(request.body)) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined
  } catch {
    return undefined
  }
}

/** `vendorVerbs`: what this vendor can be told beyond what every sandbox can. */
export const controlRoutes = (app: FastifyInstance, control: Control, vendorVerbs: Record<string, Verb> = {}): void => {
  app.get('/_control/state', () => control.state())
  app.get('/_control/requests', () => control.requests())
  app.get('/_control/counters', () => control.counters())
  app.delete('/_control/faults', () => {
    control.clearFaults()
    return control.state()
  })
  const done = { ...verbs(control), ...vendorVerbs }
  app.post<{ Params: { verb: string } }>('/_control/:verb', (request, reply: FastifyReply) => {
    const verb = Object.hasOwn(done, request.params.verb) ? done[request.params.verb] : undefined
    if (verb === undefined) return reply.code(404).send({ error: `There is no control "${request.params.verb}".` })
    const body = readBody(request)
    const wrong =
      body === undefined ? 'The body has to be a JSON object, with content-type application/json.' : verb(body)
    return wrong === undefined ? control.state() : reply.code(400).send({ error: wrong })
  })
}
