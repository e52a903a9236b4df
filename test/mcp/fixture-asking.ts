import { CLIENT_CAPABILITIES_META_KEY, inputRequired, inputResponse } from '@modelcontextprotocol/server'
import type {
  ClientCapabilities,
  ElicitRequestFormParams,
  McpRequestContext,
  McpServer,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { says } from './fixture-tools.ts'

type FormField = ElicitRequestFormParams['requestedSchema']['properties'][string]

const ask = (message: string, properties: Record<string, FormField>) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } })
const askText = (message: string, name: string) => ask(message, { [name]: { type: 'string' } })
const sample = (text: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })

const answer = (ctx: ServerContext, key: string) => inputResponse(ctx.mcpReq.inputResponses, key)
const accepted = (ctx: ServerContext, key: string) => {
  const response = answer(ctx, key)
  return response.kind === 'elicit' && response.action === 'accept' ? response.content : undefined
}

const addStateless = (server: McpServer) => {
  const askName = () => inputRequired({ inputRequests: { user_name: askText('What is your name?', 'name') } })
  server.registerTool(
    'test_input_required_result_elicitation',
    { description: 'Fixture: input required result elicitation' },
    (ctx) => {
      const content = accepted(ctx, 'user_name')
      return typeof content?.name === 'string' ? says(`Hello, ${content.name}!`) : askName()
    },
  )
  server.registerTool('test_streaming_elicitation', { description: 'Fixture: streaming elicitation' }, () => askName())
  server.registerTool(
    'test_input_required_result_sampling',
    { description: 'Fixture: input required result sampling' },
    (ctx) => {
      const response = answer(ctx, 'capital_question')
      if (response.kind === 'sampling') return says(JSON.stringify(response.result.content))
      return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } })
    },
  )
  // Asks what the client did not say it can answer, which the protocol has to refuse.
  server.registerTool('test_missing_capability', { description: 'Fixture: missing capability' }, () =>
    inputRequired({ inputRequests: { greeting: sample('Generate a greeting', 50) } }),
  )
  server.registerTool(
    'test_input_required_result_list_roots',
    { description: 'Fixture: input required result list roots' },
    (ctx) => {
      const response = answer(ctx, 'client_roots')
      return response.kind === 'roots'
        ? says(JSON.stringify(response.roots))
        : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    },
  )
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Fixture: input required result capabilities' },
    (ctx) => {
      const declared =
        (ctx.mcpReq.envelope as Record<string, ClientCapabilities> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
      const inputRequests = {
        ...(declared.elicitation ? { user_name: askText('What is your name?', 'name') } : {}),
        ...(declared.sampling ? { greeting: sample('Generate a greeting', 50) } : {}),
      }
      return Object.keys(inputRequests).length > 0
        ? inputRequired({ inputRequests })
        : says('There is nothing the client could be asked')
    },
  )
}

type State = { round: number }

const addStateful = (server: McpServer, states: RequestStateCodec) => {
  const confirm = async (text: string, ctx: ServerContext) => {
    if (ctx.mcpReq.requestState<State>()?.round === 1 && accepted(ctx, 'confirm')) return says(text)
    return inputRequired({
      inputRequests: { confirm: ask('Please confirm', { ok: { type: 'boolean' } }) },
      requestState: await states.mint({ round: 1 }),
    })
  }
  server.registerTool(
    'test_input_required_result_request_state',
    { description: 'Fixture: input required result request state' },
    (ctx) => confirm('state-ok', ctx),
  )
  server.registerTool(
    'test_input_required_result_tampered_state',
    { description: 'Fixture: input required result tampered state' },
    (ctx) => confirm('state-ok', ctx),
  )
  server.registerTool(
    'test_input_required_result_multiple_inputs',
    { description: 'Fixture: input required result multiple inputs' },
    async (ctx) => {
      const hasState = ctx.mcpReq.requestState<State>()?.round === 1
      if (
        hasState &&
        accepted(ctx, 'user_name') &&
        answer(ctx, 'greeting').kind === 'sampling' &&
        answer(ctx, 'client_roots').kind === 'roots'
      )
        return says('All inputs are here')
      const inputRequests = {
        user_name: askText('What is your name?', 'name'),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      }
      return inputRequired({ inputRequests, requestState: await states.mint({ round: 1 }) })
    },
  )
  server.registerTool(
    'test_input_required_result_multi_round',
    { description: 'Fixture: input required result multi round' },
    async (ctx) => {
      const round = ctx.mcpReq.requestState<State>()?.round ?? 0
      if (round === 2 && accepted(ctx, 'step2')) return says('Both steps are done')
      if (round === 1 && accepted(ctx, 'step1')) {
        return inputRequired({
          inputRequests: { step2: askText('Step 2: What is your favorite color?', 'color') },
          requestState: await states.mint({ round: 2 }),
        })
      }
      return inputRequired({
        inputRequests: { step1: askText('Step 1: What is your name?', 'name') },
        requestState: await states.mint({ round: 1 }),
      })
    },
  )
}

const options = (prefix: string, labels: string) =>
  ['First', 'Second', 'Third'].map((word, index) => ({ const: `${prefix}${index + 1}`, title: `${word} ${labels}` }))

/** Questions that the server sends on its own while a call is open, as the protocol of 2025 has them. */
const addPushed = (server: McpServer) => {
  const elicit = async (
    ctx: ServerContext,
    message: string,
    properties: Record<string, FormField>,
    required: string[] = [],
  ) => {
    const { action, content } = await ctx.mcpReq.elicitInput({
      message,
      requestedSchema: { type: 'object', properties, required },
    })
    return { action, content: JSON.stringify(content ?? {}) }
  }
  server.registerTool(
    'test_sampling',
    { description: 'Fixture: sampling', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, ctx) => {
      const { content } = await ctx.mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      })
      return says(
        `LLM response: ${[content]
          .flat()
          .map((part) => (part.type === 'text' ? part.text : part.type))
          .join(' ')}`,
      )
    },
  )
  server.registerTool(
    'test_elicitation',
    { description: 'Fixture: elicitation', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, ctx) => {
      const fields = {
        username: { type: 'string' as const, description: "User's response" },
        email: { type: 'string' as const, description: "User's email address" },
      }
      const { action, content } = await elicit(ctx, message, fields, ['username', 'email'])
      return says(`User response: action=${action}, content=${content}`)
    },
  )
  server.registerTool(
    'test_elicitation_sep1034_defaults',
    { description: 'Fixture: elicitation sep1034 defaults' },
    async (ctx) => {
      const { action, content } = await elicit(ctx, 'Please look at the defaults', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      })
      return says(`Elicitation completed: action=${action}, content=${content}`)
    },
  )
  server.registerTool(
    'test_elicitation_sep1330_enums',
    { description: 'Fixture: elicitation sep1330 enums' },
    async (ctx) => {
      const { action, content } = await elicit(ctx, 'Please choose', {
        untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
        titledSingle: { type: 'string', oneOf: options('value', 'Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
        titledMulti: { type: 'array', items: { anyOf: options('value', 'Choice') } },
      })
      return says(`Elicitation completed: action=${action}, content=${content}`)
    },
  )
}

export const addAskingTools = (server: McpServer, { era }: McpRequestContext, states: RequestStateCodec) => {
  addStateless(server)
  addStateful(server, states)
  if (era === 'legacy') addPushed(server)
}
