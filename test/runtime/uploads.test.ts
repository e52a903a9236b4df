import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineStep, filePart, fileRef, path, z } from '#kit'
import type { ExampleCase, ExampleFile, ProviderRequest } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { replay } from '../contract/replay.ts'
import fourth from '../fixtures/fourth/manifest.ts'
import { fakeClock } from '../support/clock.ts'
import { stayOffline } from '../support/offline.ts'
import { startProvider } from '../support/provider.ts'

/** An upload in three requests: an address by a form, the bytes to that address, and the confirmation as a text. */
const upload = defineStep({
  id: 'upload-file',
  title: 'Upload File',
  purpose: 'Uploads a file in two steps.',
  effect: 'create',
  input: z.strictObject({ file: fileRef('File', 'The file to upload.') }),
  output: z.object({ said: z.string() }),
  async run(ctx, { file }) {
    const start: ProviderRequest = {
      method: 'POST',
      path: path`/v1/uploads`,
      body: { parts: 1, tags: ['a', 'b'] },
      bodyAs: 'form',
    }
    const { address } = (await ctx.send({
      ...start,
      effect: 'read',
      effectSource: 'https://docs.example/uploads',
    })) as {
      address: string
    }
    await ctx.send({ method: 'PUT', path: path`/upload`, address, body: filePart(file), bodyAs: 'raw' })
    const done = { method: 'POST', path: path`/v1/uploads/done`, body: '<done/>', bodyAs: 'text' } as const
    return { said: await ctx.send({ ...done, contentType: 'application/xml', replyAs: 'text' }) }
  },
})
// The other tests here have servers of their own on this machine.
stayOffline(/^127\.0\.0\.1/)

const origin = 'https://files.desk.example'
const integration = {
  ...fourth,
  steps: [upload],
  wire: { ...fourth.wire, uploadOrigins: [origin] },
}
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255])
const file = { name: 'a.png', base64: png.toString('base64') }

describe('an example with a form, raw bytes, a text, and an address that the provider gave', () => {
  const example = (): ExampleCase => ({
    title: 'Two steps',
    input: { file },
    exchanges: [
      {
        request: { method: 'POST', path: '/v1/uploads', body: { parts: '1', tags: ['a', 'b'] }, bodyAs: 'form' },
        reply: { status: 200, body: { address: `${origin}/put/1?sig=x` } },
      },
      {
        request: {
          method: 'PUT',
          path: '/put/1',
          origin,
          query: { sig: 'x' },
          body: { contentType: 'image/png', base64: file.base64 },
          bodyAs: 'raw',
        },
        reply: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' },
      },
      {
        request: { method: 'POST', path: '/v1/uploads/done', body: '<done/>', bodyAs: 'text' },
        reply: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'done: 1' },
      },
    ],
    output: { said: 'done: 1' },
  })
  const play = (exampleCase: ExampleCase) => {
    const exampleFile: ExampleFile = { step: 'upload-file', cases: [exampleCase] }
    return replay({ folder: '', integration }, exampleFile, exampleCase)
  }

  it('is replayed', () => play(example()))

  it.each([
    ['another field of the form', 0, { body: { parts: '2', tags: ['a', 'b'] } }],
    ['JSON in place of the form', 0, { bodyAs: undefined }],
    ['other bytes', 1, { body: { contentType: 'image/png', base64: '' } }],
    ['another text', 2, { body: '<other/>' }],
  ])('fails with %s', async (_, at, over) => {
    const wrong = example()
    Object.assign(wrong.exchanges[at]!.request, over)
    await expect(play(wrong)).rejects.toThrow()
  })
})

describe('an upload', () => {
  let provider: Awaited<ReturnType<typeof startProvider>>
  let host: Awaited<ReturnType<typeof startProvider>>
  let pack: Pack
  let address: string
  let cuts: boolean
  const caller = { tenant: 'default' }
  const run = () => pack.steps.run(caller, { integration: 'fourth', step: 'upload-file', input: { file } })

  beforeEach(async () => {
    cuts = false
    provider = await startProvider((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ address }))
    })
    host = await startProvider((_, response) => {
      if (cuts) return void response.destroy()
      response.writeHead(403, { 'content-type': 'text/plain' }).end('expired')
    })
    address = `${host.origin}/put?sig=secret-of-the-address`
    pack = await createPack({
      integrations: [integration],
      clock: fakeClock(),
      random: () => 0,
      wire: { fourth: { baseUrl: provider.origin, uploadOrigins: [host.origin] } },
      egress: { privateOrigins: [provider.origin, host.origin] },
    })
    const secrets = { apiKey: 'key-of-desk' }
    await pack.connections.create(caller, { integration: 'fourth', type: 'api-key', name: 'Desk', secrets })
  })
  afterEach(async () => {
    await pack.close()
    await provider.close()
    await host.close()
  })

  it('that is refused leaves the connection as it was, and its address out of the history', async () => {
    const outcome = await run()
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'rejected', providerStatus: 403 } })
    expect(JSON.stringify(host.seen)).not.toContain('key-of-desk')
    const detail = await pack.runs.get(caller, outcome.meta.runId!)
    expect(detail.exchanges!.map(({ path: at }) => at)).toEqual(['/v1/uploads', '/upload'])
    expect(JSON.stringify([outcome, detail])).not.toContain('secret-of-the-address')
    const [connection] = await pack.connections.list(caller)
    expect(connection!.state).not.toBe('needs_reconnect')
  })

  it('whose answer is lost is not sent again', async () => {
    cuts = true
    expect(await run()).toMatchObject({ ok: false, failure: { code: 'outcome_unknown' } })
    expect(host.seen.length).toBe(1)
  })

  it('is not sent to an address that the profile does not list', async () => {
    address = `${provider.origin}/put`
    const outcome = await run()
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'not_allowed' } })
    expect(provider.seen.filter(({ url }) => url.startsWith('/put'))).toEqual([])
  })
})
