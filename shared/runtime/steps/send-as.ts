import { fail, meets } from '#kit'
import type { Effect } from '#kit'
import type { Wire } from '../../wire/types.ts'
import type { Loaded } from '../catalogue/registry.ts'
import type { OpenConnection } from '../connections/open-connection.ts'
import type { AskTest, SendAs } from '../connections/verify.ts'
import type { Clock } from '../ports/index.ts'
import { endpointOf, endpointRequest } from './endpoint-request.ts'
import { requireAnswer } from './answers.ts'
import { sendChecked } from './exchange.ts'
import { exchangeEnded } from './pending.ts'
import { takeRecord } from './records.ts'
import { openSession } from './session.ts'

/** For requests of our own: within the limits of built steps, whatever the connection is narrowed to. */
const ownSession = (clock: Clock, opened: OpenConnection, loaded: Loaded, effect: Effect, priority: 'interactive' | 'bulk') =>
  openSession({
    loaded: loaded.steps.get('api-call')!,
    opened,
    effect,
    deadlineAt: clock.monotonic() + loaded.wire.timeouts.totalMs,
    priority,
    policy: loaded.stepPolicy,
  })

/** Requests of our own, such as the test of a connection. */
export const createSendAs =
  (wire: Wire, clock: Clock): SendAs =>
  (opened, loaded, request, priority) =>
    sendChecked(wire, ownSession(clock, opened, loaded, request.method === 'GET' ? 'read' : 'update', priority), request)

/** The test that a wire profile names. It is free and changes nothing, so it is sent like a read whatever its method is. */
export const createAskTest =
  (wire: Wire, clock: Clock): AskTest =>
  async (opened, loaded, { endpoint: name, values = {} }, priority) => {
    const session = ownSession(clock, opened, loaded, 'read', priority)
    const endpoint = endpointOf(loaded, name)
    const reply = await exchangeEnded(wire, clock, session, name, endpointRequest(loaded, name, values))
    if (loaded.wire.validKey?.some((condition) => meets(condition, reply))) return
    await requireAnswer(wire, session, name, endpoint.method, reply)
    if ('found' in takeRecord(reply.body, endpoint.record ?? [''])) return
    throw fail(
      'bad_reply',
      `The provider answered the test of the key with ${reply.status}, but not with what "${loaded.setting}.endpoints.${name}.record" expects, so nothing shows that the key works. The address may be wrong: the operator checks "${loaded.setting}.baseUrl" and "${loaded.setting}.endpoints.${name}.path".`,
      { providerStatus: reply.status },
    )
  }
