/** Programs of others that are told nothing but the address of the server: each signs a person in and makes a call. */
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as oauth from 'oauth4webapi'
import { freePort } from '../../support/free-port.ts'
import { newClient } from '../../support/mcp-world.ts'
import type { Era } from '../../support/mcp-world.ts'

export type Place = {
  /** Of the server. */
  address: string
  /** Has the person open an address; returns where the browser is sent in the end. */
  letIn(address: string): Promise<URL>
  /** Where test/tools are installed. */
  tools: string
  /** For what a program writes. */
  folder: string
}
export type Program = {
  name: string
  /** Signs in and calls a tool without arguments; returns what it shows. `document`: its client id; undefined: none. */
  call(place: Place, tool: string, document: string | undefined): Promise<string>
}

/** Where programs get their answers; one that listens does so at a port that is free. */
export const redirectUris = [
  'http://127.0.0.1:7777/callback',
  'http://127.0.0.1/oauth/callback',
  'http://localhost/oauth/callback',
]
const [redirectUri] = redirectUris as [string]

type Module = Record<string, any>
const load = async (tools: string, name: string): Promise<Module> => {
  const loader = (await import(pathToFileURL(join(tools, 'load.mjs')).href)) as { load(name: string): Promise<Module> }
  return loader.load(name)
}
const textsOf = ({ content }: { content: { text?: string }[] }) => content.map(({ text }) => text ?? '').join('\n')

/** What a host remembers, and the address that it opens in a browser. */
export const newHost = (document: string | undefined) => {
  const stored: Module = {}
  const authProvider = {
    redirectUrl: redirectUri,
    ...(document === undefined ? {} : { clientMetadataUrl: document }),
    clientMetadata: { client_name: 'A host', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    state: () => 'state-of-host',
    clientInformation: () => stored['client'],
    saveClientInformation: (client: unknown) => void (stored['client'] = client),
    tokens: () => stored['tokens'],
    saveTokens: (tokens: unknown) => void (stored['tokens'] = tokens),
    redirectToAuthorization: (url: URL) => void (stored['url'] = url.href),
    saveCodeVerifier: (verifier: string) => void (stored['verifier'] = verifier),
    codeVerifier: () => stored['verifier'],
    saveDiscoveryState: (state: unknown) => void (stored['discovery'] = state),
    discoveryState: () => stored['discovery'],
  }
  return { authProvider, stored }
}

const refused = async (connecting: Promise<unknown>) => {
  const thrown = await connecting.then(
    () => undefined,
    (error: unknown) => error as Error,
  )
  if (thrown?.constructor.name !== 'UnauthorizedError') throw thrown ?? new Error('let in without signing in')
}

/** Calls; then what the host holds is no longer good, as after some minutes, so that it has to renew it and calls again. */
const callTwice = async (stored: Module, call: () => Promise<{ content: { text?: string }[] }>) => {
  await call()
  const { access_token: access, refresh_token: refresh } = stored['tokens'] as Module
  stored['tokens'] = { ...stored['tokens'], access_token: `${access.slice(0, -1)}~` }
  const answer = textsOf(await call())
  if (stored['tokens'].refresh_token === refresh) throw new Error('it was let in with a wrong token')
  return answer
}

const firstSdk: Program['call'] = async ({ address, letIn, tools }, tool, document) => {
  const [{ Client: First }, { StreamableHTTPClientTransport: Transport }] = (await Promise.all(
    ['client/index.js', 'client/streamableHttp.js'].map((part) => load(tools, `@modelcontextprotocol/sdk/${part}`)),
  )) as [Module, Module]
  const { authProvider, stored } = newHost(document)
  const transport = () => new Transport(new URL('/mcp', address), { authProvider })
  const client = () => new First({ name: 'first', version: '1' })
  const first = transport()
  await refused(client().connect(first))
  await first.finishAuth((await letIn(stored['url'] as string)).searchParams.get('code'))
  const connected = client()
  await connected.connect(transport())
  await connected.listTools()
  const answer = await callTwice(stored, () => connected.callTool({ name: tool, arguments: {} }))
  await connected.close()
  return answer
}

const secondSdk =
  (era: Era): Program['call'] =>
  async ({ address, letIn }, tool, document) => {
    const { authProvider, stored } = newHost(document)
    const transport = () => new StreamableHTTPClientTransport(new URL('/mcp', address), { authProvider })
    const first = transport()
    await refused(newClient(era).connect(first))
    await first.finishAuth((await letIn(stored['url'] as string)).searchParams)
    const client: Client = newClient(era)
    await client.connect(transport())
    const answer = await callTwice(stored, async () => (await client.callTool({ name: tool, arguments: {} })) as never)
    await client.close()
    return answer
  }

/**
 * Has the person open the address that a program prints, once, and brings the answer to where the program listens. No
 * program finds a browser to open by itself: PATH is an empty folder.
 */
const reader = ({ letIn }: Place) => {
  let said = ''
  let opened: Promise<unknown> | undefined
  return {
    said: () => said,
    /** Rejects when the person could not let the program in. */
    read(part: string | Buffer) {
      said += part.toString()
      const [url] = /https?:\/\/\S*\/oauth\/authorize\?\S+(?=\s)/.exec(said) ?? []
      if (url !== undefined) opened ??= letIn(url).then((to) => fetch(to))
      return opened
    },
  }
}

/** Runs a program that prints the address to open; resolves with what it wrote to its output. */
export const runProgram = (place: Place, args: string[], env: Record<string, string> = {}) =>
  new Promise<string>((done, failed) => {
    const child = spawn(process.execPath, args, {
      env: { PATH: place.folder, HOME: mkdtempSync(join(place.folder, 'home-')), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    })
    const { said, read } = reader(place)
    let out = ''
    const onPart = (part: string) => void read(part)?.catch(failed)
    child.stdout
      .setEncoding('utf8')
      .on('data', (part: string) => (out += part))
      .on('data', onPart)
    child.stderr.setEncoding('utf8').on('data', onPart)
    child.on('error', failed).on('close', (code) => {
      if (code === 0) done(out)
      else failed(new Error(`${args[0]} ended with ${code}: ${said()}`))
    })
  })

const inspector: Program['call'] = async (place, tool, document) => {
  const launcher = join(place.tools, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const named = document === undefined ? [] : ['--client-metadata-url', document]
  const callback = ['--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`]
  const asked = ['--transport', 'http', '--method', 'tools/call', '--tool-name', tool, '--format', 'json']
  const args = [launcher, '--cli', '--server-url', `${place.address}/mcp`, ...asked, ...callback, ...named]
  // Otherwise it signs nobody in where it has no terminal.
  return runProgram(place, args, { MCP_AUTO_OPEN_ENABLED: 'true' })
}

const remote: Program['call'] = async (place, tool, document) => {
  const { address, tools, folder } = place
  const [{ Client: First }, { StdioClientTransport: Transport }] = (await Promise.all(
    ['client/index.js', 'client/stdio.js'].map((part) => load(tools, `@modelcontextprotocol/sdk/${part}`)),
  )) as [Module, Module]
  const program = join(tools, 'node_modules/mcp-remote/dist/proxy.js')
  const named = document === undefined ? [] : ['--client-metadata-url', document]
  const port = String(await freePort())
  const transport = new Transport({
    command: process.execPath,
    args: [program, `${address}/mcp`, port, '--allow-http', '--transport', 'http-only', ...named],
    env: { PATH: folder, HOME: mkdtempSync(join(folder, 'home-')) },
    stderr: 'pipe',
  })
  const { said, read } = reader(place)
  const failing = new Promise<never>((_, failed) =>
    transport.stderr.on('data', (part: Buffer) => void read(part)?.catch(failed)),
  )
  const client = new First({ name: 'behind mcp-remote', version: '1' })
  try {
    await Promise.race([client.connect(transport), failing])
    return textsOf(await client.callTool({ name: tool, arguments: {} }))
  } catch (thrown) {
    throw new Error(`mcp-remote said ${said()}`, { cause: thrown })
  } finally {
    await client.close()
  }
}

/** The server under test has no certificate. */
const options = { [oauth.allowInsecureRequests]: true }

/** A strict library for OAuth that knows nothing of the protocol of tools: only what RFC 9728 and 8414 say. */
const strictLibrary: Program['call'] = async ({ address, letIn }, tool, document) => {
  const resource = new URL('/mcp', address)
  const about = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, options),
  )
  const issuer = new URL(about.authorization_servers![0]!)
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
  )
  const metadata = { client_name: 'Strict', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }
  const client: oauth.Client =
    document === undefined
      ? await oauth.processDynamicClientRegistrationResponse(
          await oauth.dynamicClientRegistrationRequest(server, metadata, options),
        )
      : { client_id: document, token_endpoint_auth_method: 'none' }
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const url = new URL(server.authorization_endpoint!)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: about.resource,
    state,
  }).toString()
  const answer = oauth.validateAuthResponse(server, client, await letIn(url.href), state)
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, redirectUri, verifier, {
      additionalParameters: { resource: about.resource },
      ...options,
    }),
  )
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } })
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  const reply = await oauth.protectedResourceRequest(tokens.access_token, 'POST', resource, headers, body, options)
  return reply.text()
}

export const programs: Program[] = [
  { name: 'SDK v1', call: firstSdk },
  { name: 'SDK v2, 2025-11-25', call: secondSdk('2025-11-25') },
  { name: 'SDK v2, 2026-07-28', call: secondSdk('2026-07-28') },
  { name: 'mcp-remote', call: remote },
  { name: 'inspector', call: inspector },
  { name: 'oauth4webapi', call: strictLibrary },
]
