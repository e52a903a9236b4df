import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { ClientCapabilities, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { isFailure, isHeld, oneLine } from '#kit'
import type { HeldRun, Outcome } from '#kit'
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

/** How many requests, and how much of the input in characters, a form has room for. */
const maxRequests = 5
const maxInput = 2_000

/** The input as the user sees it, who must not agree to what is not shown. */
const inputText = (input: unknown, { url }: HeldRun): string => {
  const text = JSON.stringify(input)
  if (text.length <= maxInput) return text
  const more = `${text.length - maxInput} more characters${url === undefined ? '' : ` at ${url}`}`
  return `${text.slice(0, maxInput)}… (${more})`
}

const requestsText = (requests: readonly unknown[], complete: boolean): string[] => {
  const lines = (requests as { method: string; url: string }[])
    .slice(0, maxRequests)
    .map(({ method, url }) => `${method} ${url}`)
  const more = requests.length > maxRequests ? [`and ${requests.length - maxRequests} more`] : []
  const later = complete ? '' : ' Later requests depend on the answers to these.'
  return lines.length === 0 ? [] : [`It sends ${[...lines, ...more].join(', ')}.${later}`]
}

const textOf = (approval: ApprovalDetail, held: HeldRun): string => {
  const { title, integration, step, input, credits, price, requests, complete } = approval
  const cost = { free: [], credits: [`It may cost up to ${credits} credits.`], unknown: ['Nobody knows its price.'] }
  return [
    `${title ?? `${integration}/${step}`}: ${inputText(input, held)}.`,
    ...cost[price],
    ...requestsText(requests, complete),
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

const ask = (approval: ApprovalDetail, held: HeldRun): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      [keyOf(approval)]: inputRequired.elicit({
        message: oneLine(textOf(approval, held)),
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
export const runDecided = async <Task extends { resultType: 'task' } = never>(
  parts: Parts,
  asking: Asking,
  run: () => Promise<Outcome | Task>,
): Promise<Outcome | Task | InputRequiredResult> => {
  const outcome = await run()
  if ('resultType' in outcome || outcome.ok || !isHeld(outcome.failure)) return outcome
  const held = outcome.failure.approval
  if (held?.by !== 'caller' || held.state !== 'open' || !showsForms(asking)) return outcome
  try {
    const approval = await parts.pack.approvals.get(asking.caller, held.id)
    if (!(await decide(parts, asking, approval))) return ask(approval, held)
  } catch (thrown) {
    // Somebody else may have decided meanwhile, or it has expired: the same call tells.
    if (!isFailure(thrown)) throw thrown
  }
  return run()
}
