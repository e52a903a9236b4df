import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { ClientCapabilities, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { isFailure, isHeld } from '#kit'
import type { Outcome } from '#kit'
import type { ApprovalDetail } from '../../api/resources/approval.ts'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'

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

/** An answer counts for this run alone, and for what the user saw that it would do. */
const keyOf = ({ id, version }: Pick<ApprovalDetail, 'id' | 'version'>) => `approval-${id}-${version}`

const maxShown = 5

/** Without the host: what a model sees has no addresses. */
const pathOf = (url: string) => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`.slice(0, 300)
}

const requestText = (request: unknown): string => {
  const { method, url, body } = request as { method: string; url: string; body?: unknown }
  return `${method} ${pathOf(url)}${body == null ? '' : ` ${JSON.stringify(body).slice(0, 500)}`}`
}

/** What would be sent, as far as a form has room for it. */
const textOf = ({ title, integration, step, credits, price, requests, complete }: ApprovalDetail): string => {
  const cost = { free: [], credits: [`It may cost ${credits} credits.`], unknown: ['Nobody knows what it costs.'] }[
    price
  ]
  const more = requests.length > maxShown ? [`And ${requests.length - maxShown} more requests.`] : []
  return [
    `${(title ?? `Run ${integration}/${step}`).replace(/\.$/, '')}.`,
    ...cost,
    ...requests.slice(0, maxShown).map(requestText),
    ...more,
    ...(complete ? [] : ['Later requests depend on the answers to these.']),
  ].join(' ')
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const waitForEnd = async ({ pack, now }: Parts, { caller, ctx }: Asking, id: string) => {
  const until = now() + patienceMs
  let { endedAt } = await pack.approvals.get(caller, id)
  while (endedAt === null && now() < until && !ctx.mcpReq.signal.aborted) {
    await pause(pollMs)
    ;({ endedAt } = await pack.approvals.get(caller, id))
  }
}

const ask = (approval: ApprovalDetail): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [keyOf(approval)]: inputRequired.elicit({
        message: withoutAddresses(textOf(approval)),
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

/** Does what the user answered; false: nobody was asked yet about what would be sent now. */
const decide = async (parts: Parts, asking: Asking, { id, version }: ApprovalDetail): Promise<boolean> => {
  const { ctx, caller } = asking
  const response = inputResponse(ctx.mcpReq.inputResponses, keyOf({ id, version }))
  if (response.kind !== 'elicit') return false
  if (response.action === 'accept' && response.content?.['decision'] === 'approve') {
    await parts.pack.approvals.approve(caller, id, { version })
    await waitForEnd(parts, asking, id)
  } else await parts.pack.approvals.deny(caller, id)
  return true
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
  if (held?.by !== 'caller' || held.state !== 'open' || !showsForms(asking)) return outcome
  try {
    const approval = await parts.pack.approvals.get(asking.caller, held.id)
    if (!(await decide(parts, asking, approval))) return ask(approval)
  } catch (thrown) {
    // Somebody else may have decided meanwhile, or it has expired: the same call tells.
    if (!isFailure(thrown)) throw thrown
  }
  return run()
}
