import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type {
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server'
import { isFailure } from '#kit'
import type { FailureJson } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { failureResult } from './failure.ts'
import { withoutAddresses } from './addresses.ts'

/** `connection`: the connection that the run used or was asked to use. */
type ConnectTarget = { integration: string; connection: string | undefined; person: string | undefined }

/**
 * The address where the user connects or reconnects the account; undefined if the caller may not do so, or the server
 * is not configured for it.
 */
export const connectLink = async (
  pack: Pack,
  caller: Caller,
  failure: FailureJson,
  request: ConnectTarget,
): Promise<string | undefined> => {
  if (failure.connectUrl !== undefined) return failure.connectUrl
  const { integration, connection, person } = request
  // The run would have made the link where an account of this person helps.
  if (connection === undefined && (person ?? caller.person) !== undefined) return undefined
  try {
    return (
      await pack.toolConnections.authorize(caller, {
        integration,
        ...(connection === undefined ? {} : { connection }),
        ...(person === undefined ? {} : { person }),
      })
    ).url
  } catch (thrown) {
    // The caller asked for the run, which has failed already; a missing link is not another failure.
    if (isFailure(thrown)) return undefined
    throw thrown
  }
}

/**
 * Whether the client can open pages. Each request declares the client's capabilities; in the 2025 protocol the
 * handshake does.
 */
const opensPages = (server: Server, ctx: ServerContext) => {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined
  const declared =
    (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? server.getClientCapabilities()
  return declared?.elicitation?.url !== undefined
}

const key = 'connect'

/**
 * The result of a run without a usable connection: asks the user to open the connect page if the host supports that,
 * otherwise returns the link.
 */
export const askToConnect = (
  server: Server,
  ctx: ServerContext,
  failure: FailureJson,
  { url, title, runId }: { url: string | undefined; title: string; runId: string },
): CallToolResult | InputRequiredResult => {
  const response = inputResponse(ctx.mcpReq.inputResponses, key)
  const refused = response.kind === 'elicit' && response.action !== 'accept'
  if (url === undefined || refused) return failureResult(failure, { runId })
  // The user agrees to open the page before connecting there, so this is asked only once.
  if (response.kind === 'elicit' || !opensPages(server, ctx)) return failureResult(failure, { runId, connectUrl: url })
  const message = `${title}: ${withoutAddresses(failure.message)}`
  return inputRequired({ inputRequests: { [key]: inputRequired.elicitUrl({ message, url }) } })
}
