import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { ClientCapabilities, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { isFailure, isHeld } from '#kit'
import type { HeldRun, Outcome } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { withoutAddresses } from './addresses.ts'

type Parts = { pack: Pack; /** Monotonic time in ms. */ now: () => number }
/** The present request of a client, and whom it acts for. */
export type Asking = { server: Server; ctx: ServerContext; caller: Caller }

/** How long a call waits for what its user approved. */
const patienceMs = 20_000
const pollMs = 250

/** Clients that declare no mode of elicitation are older than its second mode, and show forms. */
const showsForms = ({ server, ctx }: Asking) => {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined
  const { elicitation } =
    (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? server.getClientCapabilities() ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

/** An answer counts for this run alone: the user saw what it would do. */
const keyOf = ({ id }: HeldRun) => `approval-${id}`

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const waitForEnd = async ({ pack, now }: Parts, { caller, ctx }: Asking, id: string) => {
  const until = now() + patienceMs
  let { endedAt } = await pack.approvals.get(caller, id)
  while (endedAt === null && now() < until && !ctx.mcpReq.signal.aborted) {
    await pause(pollMs)
    ;({ endedAt } = await pack.approvals.get(caller, id))
  }
}

const ask = async ({ pack }: Parts, { caller }: Asking, held: HeldRun): Promise<InputRequiredResult> => {
  const { title, integration, step, credits } = await pack.approvals.get(caller, held.id)
  const price = credits === null ? '' : ` It may cost ${credits} credits.`
  return inputRequired({
    inputRequests: {
      [keyOf(held)]: inputRequired.elicit({
        message: withoutAddresses(`${title ?? `Run ${integration}/${step}.`}${price}`),
        requestedSchema: {
          type: 'object',
          properties: {
            decision: {
              type: 'string',
              title: 'Decision',
              description: 'approve: it is sent once, as shown; deny: nothing is sent',
              enum: ['approve', 'deny'],
            },
          },
          required: ['decision'],
        },
      }),
    },
  })
}

/** Does what the user answered. Undefined: nobody was asked yet. */
const decide = async (parts: Parts, asking: Asking, held: HeldRun): Promise<'decided' | undefined> => {
  const { ctx, caller } = asking
  const response = inputResponse(ctx.mcpReq.inputResponses, keyOf(held))
  if (response.kind !== 'elicit') return undefined
  if (response.action === 'accept' && response.content?.['decision'] === 'approve') {
    await parts.pack.approvals.approve(caller, held.id)
    await waitForEnd(parts, asking, held.id)
  } else await parts.pack.approvals.deny(caller, held.id)
  return 'decided'
}

/**
 * Runs, and lets the user decide in the host if the run is held and whoever made the call may decide: returns the
 * question, and once it is answered the outcome of the same run.
 */
export const runDecided = async (
  parts: Parts,
  asking: Asking,
  run: () => Promise<Outcome>,
): Promise<Outcome | InputRequiredResult> => {
  const outcome = await run()
  if (outcome.ok || !isHeld(outcome.failure)) return outcome
  const held = outcome.failure.approval
  if (held?.by !== 'caller' || !showsForms(asking)) return outcome
  try {
    if ((await decide(parts, asking, held)) === undefined) return await ask(parts, asking, held)
  } catch (thrown) {
    // Somebody else may have decided meanwhile, or it has expired: the same call tells.
    if (!isFailure(thrown)) throw thrown
  }
  return run()
}
