import { readdir, readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { firstToken } from '../../shared/faces/cli/index.ts'
import type { Configuration } from '../../shared/settings.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { testFolder } from '../store/folder.ts'

const [operatorToken, two] = ['first-operator-token', 'second-operator-token']
let pack: Pack
let directory: string
let lines: { event: string; endsIn?: unknown }[]

const openPack = async () => {
  lines = []
  pack = await createPack({
    store: createMemoryStore(),
    log: (_, event, fields) => void lines.push({ event, ...fields }),
  })
}
const startWith = (token?: string, production = false) =>
  firstToken(pack, { token, production } as Configuration, directory)
const opens = (text: string) =>
  pack.tokens.authenticate(text).then(
    ({ scopes }) => scopes?.includes('admin') ?? false,
    () => false,
  )

beforeEach(async () => {
  directory = await testFolder()
  await openPack()
})

describe('the server’s own token', () => {
  it('set by the operator: the token of the first start opens nothing any more, its file goes, and the log says so', async () => {
    const { text } = await startWith()
    expect(await opens(text)).toBe(true)
    expect((await readFile(`${directory}/token`, 'utf8')).trim()).toBe(text)
    await startWith(operatorToken, true)
    expect([await opens(text), await opens(operatorToken)]).toEqual([false, true])
    expect(await readdir(directory)).not.toContain('token')
    expect(lines.filter(({ event }) => event === 'token.superseded')).toMatchObject([{ endsIn: text.slice(-4) }])
    expect(JSON.stringify(lines)).not.toContain(text)
  })

  it('changed: the former one opens nothing; taken back, it opens again; others stay', async () => {
    const { text: other } = await pack.tokens.create('default', { name: 'CI', scopes: ['admin'] })
    await startWith(operatorToken)
    await startWith(two)
    expect([await opens(operatorToken), await opens(two), await opens(other)]).toEqual([false, true, true])
    await startWith(operatorToken)
    expect([await opens(operatorToken), await opens(two)]).toEqual([true, false])
    expect(
      (await pack.audit.list('default', { limit: 50 })).items.filter(({ path }) => path === 'tokens.supersede'),
    ).toHaveLength(2)
  })

  it('no longer set: it opens nothing, and the server makes one', async () => {
    await startWith(operatorToken)
    const { text } = await startWith()
    expect([await opens(operatorToken), await opens(text)]).toEqual([false, true])
    expect(await startWith()).toEqual({ text, from: 'file' })
  })

  it('revoked by somebody: it is refused although the setting still names it', async () => {
    await startWith(operatorToken)
    const [{ id } = { id: '' }] = await pack.tokens.list('default')
    await pack.tokens.revoke('default', id)
    await expect(startWith(operatorToken)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('TOOLYARD_TOKEN was revoked'),
    })
  })
})

describe('a new token is refused', () => {
  const cases: [what: string, given: object, field: string, says: string][] = [
    ['that ended before it was made', { expiresAt: Date.UTC(2020, 0, 1) }, '/expiresAt', '2020-01-01'],
    ['whose end is no time', { expiresAt: Number.NaN }, '/expiresAt', 'no time'],
    ['bound to an unknown connection', { connections: ['con_nowhere'] }, '/connections', 'con_nowhere'],
    ['bound to an unknown step', { steps: ['work-board/make-coffee'] }, '/steps', 'work-board/make-coffee'],
    ['bound to a step of an unknown integration', { steps: ['coffee/make'] }, '/steps', 'coffee/make'],
    ['with an unknown scope', { scopes: ['everything'] }, '/scopes', 'everything'],
  ]
  it.each(cases)('%s', async (_, request, pointer, says) => {
    await expect(pack.tokens.create('default', { name: 'New', ...request } as never)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(says),
      details: { errors: [{ pointer }] },
    })
    expect(await pack.tokens.list('default')).toEqual([])
  })

  it('bound to another tenant’s connection', async () => {
    await pack.tenants.create({ id: 'blue', name: 'Blue' })
    const { id } = await pack.connections.create({ tenant: 'blue' }, {
      integration: 'anz-data',
      type: 'api-key',
      secrets: { apiKey: 'k-0123456789' },
    } as never)
    await expect(pack.tokens.create('default', { name: 'New', connections: [id] })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    expect(
      (await pack.tokens.create('blue', { name: 'New', connections: [id], steps: ['anz-data/people-enrichment'] }))
        .token.connections,
    ).toEqual([id])
  })
})
