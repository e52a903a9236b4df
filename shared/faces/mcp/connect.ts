import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type { CallToolResult, ClientCapabilities, InputRequiredResult, Server, ServerContext } from '@modelcontextprotocol/server'
import { isFailure } from '#kit'
import type { FailureJson } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { failureResult } from './failure.ts'
import { withoutAddresses } from './addresses.ts'

/** `connection`: the account the run came to, or was asked for. */
type Asked = { integration: string; connection: string | undefined }

/** Where the user connects the account, or reconnects it. undefined: the caller may not, or this server is not set up for it. */
export const connectLink = async (pack: Pack, caller: Caller, failure: FailureJson, asked: Asked): Promise<string | undefined> => {
  if (failure.connectUrl !== undefined) return failure.connectUrl
  const { integration, connection } = asked
  try {
    return (await pack.connections.authorize(caller, { integration, ...(connection === undefined ? {} : { connection }) })).url
  } catch (thrown) {
    // The failed run is what the caller asked for; that there is no link for it either is no other failure.
    if (isFailure(thrown)) return undefined
    throw thrown
  }
}

/** Each request says for itself what its client can do; in the 2025 protocol the handshake said it. */
const opensPages = (server: Server, ctx: ServerContext) => {
  const envelope = ctx.mcpReq.envelope as Record<string, unknown> | undefined
  const declared = (envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? server.getClientCapabilities()
  return declared?.elicitation?.url !== undefined
}

const key = 'connect'

/** The answer to a run without a usable account: asks the user to open the connect page where the host can, else gives the link. */
export const askToConnect = (
  server: Server,
  ctx: ServerContext,
  failure: FailureJson,
  { url, title, runId }: { url: string | undefined; title: string; runId: string },
): CallToolResult | InputRequiredResult => {
  const response = inputResponse(ctx.mcpReq.inputResponses, key)
  const refused = response.kind === 'elicit' && response.action !== 'accept'
  if (url === undefined || refused) return failureResult(failure, { runId })
  // Agreeing to open the page comes before connecting there: asked once, the rest is the user's.
  if (response.kind === 'elicit' || !opensPages(server, ctx)) return failureResult(failure, { runId, connectUrl: url })
  const message = `${title}: ${withoutAddresses(failure.message)}`
  return inputRequired({ inputRequests: { [key]: inputRequired.elicitUrl({ message, url }) } })
}
