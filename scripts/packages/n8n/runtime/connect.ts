import { NodeApiError, NodeOperationError } from 'n8n-workflow'
import type {
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  JsonObject,
} from 'n8n-workflow'
import { createClient } from './client'
import type { Client, Send } from './client'
import { ToolyardError } from './failure'

export type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions

type FullReply = { statusCode: number; headers: Record<string, string>; body: Buffer }

/** A client with the node's credential. n8n adds the token to requests, so that the node never has it. */
export const connect = async (context: Context): Promise<Client> => {
  const { url } = await context.getCredentials<{ url: string }>('toolyardApi')
  const send: Send = async ({ method, url: to, headers, body }) => {
    const options: IHttpRequestOptions = {
      method,
      url: to,
      headers,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
      encoding: 'arraybuffer',
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body) }),
    }
    const { helpers } = context as IExecuteFunctions
    const reply = (await helpers.httpRequestWithAuthentication.call(
      context as IExecuteFunctions,
      'toolyardApi',
      options,
    )) as FullReply
    return { status: reply.statusCode, headers: reply.headers, body: Buffer.from(reply.body) }
  }
  return createClient({ url, send })
}

/** What is wrong with which field, by the names that the form shows: `'List': It is no id of a list.` */
const fieldErrors = (errors: { pointer: string; message: string }[], titles: Record<string, string>): string =>
  errors
    .flatMap(({ pointer, message }) => {
      const title = titles[pointer.split('/')[1] ?? '']
      return title === undefined ? [] : [`'${title}': ${message}`]
    })
    .join(' ')

/** Where the client would say to repeat the call: in n8n that would be another execution, whose call is another one. */
const remedyOf = ({ remedy, approval }: ToolyardError): string => {
  if (approval === undefined) return remedy
  const where = approval.url === undefined ? '' : ` at ${approval.url}`
  return `Nothing was sent. It can be decided${where} until ${approval.expiresAt}. Another execution would ask again; for this workflow to wait for the decision, switch on "Wait for Approval" (version 2 of the node).`
}

/**
 * The error in n8n's form: the sentence as its message, remedy and code as its description. `titles`: display names of
 * the fields, by name.
 */
export const explain = (
  context: Context,
  error: unknown,
  itemIndex?: number,
  titles: Record<string, string> = {},
): NodeApiError | NodeOperationError => {
  const at = itemIndex === undefined ? {} : { itemIndex }
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error
  if (!(error instanceof ToolyardError)) return new NodeOperationError(context.getNode(), error as Error, at)
  const { code, sentence, status, retryable, runId, providerMessage, errors } = error
  const remedy = remedyOf(error)
  const details = { code, sentence, remedy, retryable, runId, providerMessage, errors }
  const shown = new NodeApiError(context.getNode(), details as JsonObject, {
    message: sentence,
    description: [fieldErrors(errors, titles), `${remedy} (${code})`].filter((text) => text !== '').join(' '),
    ...(status === 0 ? {} : { httpCode: String(status) }),
    ...at,
  })
  shown.context.data = details as JsonObject
  return shown
}
