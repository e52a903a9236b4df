import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openIssueWorld, orchard } from '../fixtures/issue-desk/world.ts'
import type { IssueWorld } from '../fixtures/issue-desk/world.ts'
import { bytesOf } from './world.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'

const caller = { tenant: 'default' }

describe('a file to a provider and back', () => {
  let world: IssueWorld
  beforeEach(async () => {
    world = await openIssueWorld()
  })
  afterEach(() => world.close())

  const files = () => world.process.foundation.files
  const store = async (content: Uint8Array, name = 'frost.bin') => {
    const pieces = async function* () {
      yield content
    }
    return files().create(caller, { name, content: pieces() })
  }
  const attach = (file: unknown, more: Parameters<IssueWorld['run']>[2] = {}) =>
    world.run('attach-file-to-issue', { repository: orchard, number: 1, file }, more)
  const uploads = () =>
    world.desk.control.requests({ method: 'POST' }).filter(({ path }) => path.endsWith('/attachments'))
  const read = async (id: string) => {
    const parts: Uint8Array[] = []
    for await (const part of (await files().open(caller, id)).read()) parts.push(part)
    return Buffer.concat(parts)
  }

  test('goes out as multipart with its length, and comes back the same', async () => {
    const content = bytesOf(1_000_000)
    const { id } = await store(content)
    const outcome = await attach({ file: id })
    expect(outcome).toMatchObject({ ok: true, value: { name: 'frost.bin', size: content.length } })
    const [sent] = uploads()
    expect(Number(sent!.headers['content-length'])).toBeGreaterThan(content.length)
    expect(sent!.headers).not.toHaveProperty('transfer-encoding')
    const made = (outcome as { value: { id: number } }).value
    const { file } = await world.value('download-attachment', { repository: orchard, id: made.id })
    expect(file).toMatchObject({ name: 'frost.bin', size: content.length })
    expect((await read(file.file)).equals(content)).toBe(true)
    expect(await files().get(caller, file.file)).toMatchObject({
      source: 'step',
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    // A token for somebody else's account neither lists nor reads it, nor sends it on.
    const other = { ...caller, connections: ['con_of_somebody_else'] }
    expect(await files().list(other, { limit: 9 })).toEqual({ items: [] })
    await expect(files().open(other, file.file)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('the same file is sent by several runs, and once for one idempotency key', async () => {
    const { id } = await store(bytesOf(1_000))
    const [firstOutcome, two] = [
      await attach({ file: id }, { idempotencyKey: 'k' }),
      await attach({ file: id }, { idempotencyKey: 'k' }),
    ]
    expect(two).toMatchObject({ ok: true, value: (firstOutcome as { value: unknown }).value, meta: { cached: true } })
    expect(uploads()).toHaveLength(1)
    await attach({ file: id })
    expect(uploads()).toHaveLength(2)
  })

  test('an upload whose answer is lost is not sent again', async () => {
    const { id } = await store(bytesOf(200_000))
    world.desk.control.fault({ match: { method: 'POST' }, how: 'drop', when: 'after' })
    expect(await attach({ file: id })).toMatchObject({ ok: false, failure: { code: 'outcome_unknown' } })
    expect(uploads()).toHaveLength(1)
  })

  test('content in the input is sent too; what is neither is refused before anything is sent', async () => {
    expect(await attach({ name: 'note.txt', base64: Buffer.from('short').toString('base64') })).toMatchObject({
      ok: true,
      value: { name: 'note.txt', size: 5 },
    })
    for (const [file, code] of [
      [{ file: 'fil_unknown' }, 'not_found'],
      [{}, 'invalid_input'],
      [{ name: 'a.txt' }, 'invalid_input'],
      [{ file: 'fil_1', base64: 'eA==', name: 'a' }, 'invalid_input'],
      [{ name: '../a.txt', base64: 'eA==' }, 'invalid_input'],
      [{ name: 'a.txt', base64: 'not base64!' }, 'invalid_input'],
    ] as const)
      expect(await attach(file)).toMatchObject({ ok: false, failure: { code } })
    expect(uploads()).toHaveLength(1)
  })

  test("another tenant's file is not found", async () => {
    const { id } = await store(bytesOf(10))
    expect(
      await world.process.steps.run(
        { tenant: 'other' },
        { integration: 'issue-desk', step: 'attach-file-to-issue', input: {} },
      ),
    ).toMatchObject({
      ok: false,
    })
    await expect(files().open({ tenant: 'other' }, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a dry run shows the file by its id, and stores nothing', async () => {
    const { id } = await store(bytesOf(10))
    const dry = await attach({ file: id }, { dryRun: true })
    expect(dry).toMatchObject({ ok: true, value: { requests: [{ body: { file: { file: id } } }], complete: true } })
    expect(await world.run('download-attachment', { repository: orchard, id: 1 }, { dryRun: true })).toMatchObject({
      ok: true,
    })
    expect((await files().list(caller, { limit: 9 })).items).toHaveLength(1)
    expect(uploads()).toEqual([])
  })

  test('a credential in the name of a download is removed', async () => {
    const { ada } = world.desk.tokens
    const made = await attach({ name: `${ada}.txt`, base64: 'eA==' })
    const { id } = (made as { value: { id: number } }).value
    const { file } = await world.value('download-attachment', { repository: orchard, id })
    expect(file.name).toMatch(/txt$/)
    expect(JSON.stringify([made, file, await files().get(caller, file.file)])).not.toContain(ada)
  })

  test('a download that fails leaves nothing', async () => {
    expect(await world.run('download-attachment', { repository: orchard, id: 1 })).toMatchObject({
      ok: false,
      failure: { code: 'not_found' },
    })
    expect(await world.process.foundation.store.files.usage('default')).toEqual({ files: 0, bytes: 0 })
  })
})

describe('the board', async () => {
  const face = await openHttpWorld()

  const run = (step: string, input: object) => face.ask(`/v1/steps/work-board/${step}/run`, { body: { input } })
  const upload = async (size: number) =>
    (
      await face.pack.files.create(caller, {
        name: 'plan.bin',
        content: (async function* () {
          yield bytesOf(size)
        })(),
      })
    ).id

  test('takes a stored file, and says so when it is too large for the account', async () => {
    const { list } = await firstList(face)
    const { json } = await run('create-card', { idList: list.id, name: 'With a file' })
    const idCard = json.output.id as string
    const attached = await run('attach-file', { idCard, file: { file: await upload(500_000) } })
    expect(attached.json.output).toMatchObject({ name: 'plan.bin', bytes: 500_000, isUpload: true })
    const refused = await run('attach-file', {
      idCard,
      file: { file: await upload(10 * 1024 * 1024 + 1) },
      name: 'Too large',
    })
    expect(refused.json).toMatchObject({ code: 'too_large', providerStatus: 413 })
    expect((await run('get-card', { idCard, attachments: true })).json.output.attachments).toHaveLength(1)
  })
})
