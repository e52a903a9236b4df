/**
 * Adding the server by its address alone: each program of others, with a registration and with a document about it, for
 * a person who signs in with a token of this server and for one who signs in at the OpenID provider of their team. And
 * the scenarios of the official conformance runner for authorization servers; those for clients test clients, and none
 * of those for servers is about signing in.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant } from '../../../shared/api/resources/grant.ts'
import { startDocuments } from '../../oauth/document.ts'
import { openSignInWorld, register } from '../../oauth/world.ts'
import { freePort } from '../../support/free-port.ts'
import { programs, redirectUris, runProgram } from './clients.ts'
import type { Place } from './clients.ts'
import { startTeamProvider } from './openid.ts'
import { letIn } from './person.ts'
import type { SignIn } from './person.ts'

type Expect = (holds: boolean, otherwise: string) => void

type Table = {
  /** Names of boards, one of which a program has to show. */
  boards: string[]
  /** The client id of programs that have a document. */
  document: string
  /** Whom they are to act for. */
  person: string | null
  /** Of somebody who sees all grants. */
  token: string
  expectThat: Expect
}

const newestGrant = async (address: string, token: string): Promise<Grant | undefined> => {
  const reply = await fetch(`${address}/v1/grants?limit=1`, { headers: { authorization: `Bearer ${token}` } })
  return ((await reply.json()) as { items: Grant[] }).items[0]
}

/** Each program once with a registration and once with a document; returns how many work. */
export const checkPrograms = async (place: Place, { boards, document, person, token, expectThat }: Table) => {
  let fine = 0
  for (const { name, call } of programs)
    for (const id of [undefined, document]) {
      const shown = await call(place, 'work_board_get_boards', id).catch(
        (thrown: Error) => `${thrown.message} ${String(thrown.cause)}`,
      )
      const grant = await newestGrant(place.address, token)
      const isItsOwn = id === undefined ? grant?.client.id.startsWith('cli_') : grant?.client.id === id
      const isFine = boards.some((board) => shown.includes(board)) && isItsOwn === true && grant?.person === person
      const what = `${name} with a ${id === undefined ? 'registration' : 'document'} for ${person ?? 'nobody'}`
      expectThat(isFine, `sign-in: ${what}: ${JSON.stringify(grant)} ${shown.slice(0, 1_000)}`)
      if (isFine) fine += 1
    }
  return fine
}

/** Each scenario of the official runner for authorization servers; returns how many pass. */
export const checkConformance = async (place: Place, expectThat: Expect) => {
  const { address, tools, folder } = place
  const port = await freePort()
  const { json } = await register(address, { redirect_uris: [`http://127.0.0.1:${port}/callback`] })
  const runner = join(tools, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  const [, list = ''] = (await runProgram(place, [runner, 'list'])).split('Authorization server scenarios')
  const names = [...list.matchAll(/^ {2}- ([\w-]+)/gm)].map(([, name]) => name!)
  const asked = ['--url', address, '--client-id', json['client_id'] as string, '--resource', `${address}/mcp`]
  const out = await runProgram(place, [runner, 'authorization', ...asked, '--port', `${port}`, '-o', folder]).catch(
    (thrown: Error) => thrown.message,
  )
  const fine = names.filter((name) => new RegExp(`^✓ ${name}: [1-9]\\d* passed, 0 failed$`, 'm').test(out))
  expectThat(names.length > 0 && fine.length === names.length, `sign-in: conformance ${names.join()}: ${out}`)
  return `${fine.length} of ${names.length}`
}

/** `tools`: the folder that the programs are installed in. */
export const checkSignIn = async (tools: string, expectThat: Expect): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-sign-in-'))
  const documents = await startDocuments(redirectUris)
  const provider = await startTeamProvider(tools)
  const world = await openSignInWorld({
    login: provider.login,
    egress: { clientOrigins: [documents.origin], ownOrigins: [provider.issuer] },
  })
  const { address, token } = world
  provider.serve(`${address}/login/callback`)
  const table = {
    boards: world.sandbox.board.control.overview().map(({ name }) => name),
    document: `${documents.origin}/client.json`,
    token,
    expectThat,
  }
  const check = async (how: string, who: SignIn) => {
    const person = 'name' in who ? who.name : null
    const place = { address, tools, folder, letIn: (url: string) => letIn(url, [address, provider.issuer], who) }
    const fine = await checkPrograms(place, { ...table, person })
    const passed = await checkConformance(place, expectThat)
    console.log(
      `sign-in ${how}: ${fine} of ${2 * programs.length} programs work; ${passed} scenarios for authorization servers pass`,
    )
  }
  try {
    await check('with a token', { token })
    await check('at an OpenID provider', { name: 'ada' })
  } finally {
    await world.close()
    await provider.close()
    documents.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
