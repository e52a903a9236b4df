import type { Wire } from '../../wire/types.ts'
import type { SendAs } from '../connections/verify.ts'
import type { Clock } from '../ports/index.ts'
import { sendChecked } from './exchange.ts'
import { openSession } from './session.ts'

/** Requests of our own, such as the test of a connection: within the limits of built steps, whatever the connection is narrowed to. */
export const createSendAs =
  (wire: Wire, clock: Clock): SendAs =>
  (opened, loaded, request, priority) =>
    sendChecked(
      wire,
      openSession({
        loaded: loaded.steps.get('api-call')!,
        opened,
        effect: request.method === 'GET' ? 'read' : 'update',
        deadlineAt: clock.monotonic() + loaded.wire.timeouts.totalMs,
        priority,
        policy: loaded.stepPolicy,
      }),
      request,
    )
