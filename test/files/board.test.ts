import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { encryptedPdf, pdfOf, textStream } from '../support/pdf.ts'
import { bytesOf } from './world.ts'

/** Attach File and Download Attachment over the sandbox's board, with files and names that mean harm. */
const caller = { tenant: 'default' }
let face: HttpWorld
let idCard: string

const run = async (step: string, input: object) =>
  (await face.pack.steps.run(caller, { integration: 'work-board', step, input })) as {
    ok: boolean
    value?: any
    failure?: any
  }
const usage = async () => (await face.pack.files.list(caller, { limit: 50 })).items.length
const attachmentsOf = () => face.sandbox.board.state.cards.get(idCard)!.attachments
/** An upload that somebody else made, with whatever name. */
const planted = async (content: Uint8Array, name: string) => {
  const { value } = await run('attach-file', {
    idCard,
    file: { name: 'plain.bin', base64: Buffer.from(content).toString('base64') },
  })
  const attachment = attachmentsOf().find(({ id }) => id === value.id)!
  Object.assign(attachment, { name, fileName: name })
  return attachment.id
}
const download = (idAttachment: string) => run('download-attachment', { idCard, idAttachment })

beforeEach(async () => {
  face = await openHttpWorld()
  const { list } = await firstList(face)
  idCard = (await run('create-card', { idList: list.id, name: 'With files' })).value.id as string
})

describe('a file goes to a card and comes back', () => {
  test('with the same bytes, by a stored file', async () => {
    const content = bytesOf(700_000)
    const { id } = await face.pack.files.create(caller, {
      name: 'plan.bin',
      content: (async function* () {
        yield content
      })(),
    })
    const { value } = await run('attach-file', { idCard, file: { file: id } })
    const got = await download(value.id as string)
    expect(got.value).toMatchObject({
      name: 'plan.bin',
      size: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
    })
  })

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['c:\\windows\\system.ini', 'system.ini'],
    ['..', 'file'],
    ['.', 'file'],
    ['100% done#2?.txt', '100% done#2?.txt'],
    ['a\u0000b.txt', 'ab.txt'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    ['a%2f..%2fb', 'b'],
  ])('the name %j becomes %j', async (name, plain) => {
    const got = await download(await planted(bytesOf(10), name))
    expect(got.failure).toBeUndefined()
    expect(got.value).toMatchObject({ name: plain, size: 10 })
  })

  test('a name that is too long is shortened, its end stays', async () => {
    const { value } = await download(await planted(bytesOf(10), `${'x'.repeat(400)}.pdf`))
    expect(value.name).toMatch(/^x+\.pdf$/)
    expect(Buffer.byteLength(value.name as string)).toBeLessThanOrEqual(200)
  })

  test('a page or a script comes as what it is, and is stored under its own type only', async () => {
    const { value } = await download(await planted(Buffer.from('<script>alert(1)</script>'), 'photo.png'))
    const reply = await face.ask(`/v1/files/${value.file}`)
    expect(reply.headers['content-disposition']).toMatch(/^attachment/)
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    expect(reply.headers['content-security-policy']).toMatch(/sandbox/)
  })
})

test('the text of a PDF is read, and no file is stored', async () => {
  const attachment = await planted(pdfOf([textStream('Plan'), textStream('Print')]), 'plan.pdf')
  const text = (idAttachment: string) => run('get-attachment-text', { idCard, idAttachment })
  expect((await text(attachment)).value).toMatchObject({ text: 'Plan\n\nPrint', pages: 2, untrusted: true })
  const { failure } = await text(await planted(encryptedPdf(), 'secret.pdf'))
  expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/idAttachment' }] })
  expect(failure.message).toMatch(/encrypted/)
  const large = await planted(Buffer.from('%PDF'), 'large.pdf')
  // The board says that it is small.
  Object.assign(
    attachmentsOf().find(({ id }) => id === large)!,
    { content: bytesOf(5_000_001) },
  )
  expect((await text(large)).failure).toMatchObject({ code: 'too_large', errors: [{ pointer: '/idAttachment' }] })
  expect(await usage()).toBe(0)
})

describe('what is refused leaves nothing', () => {
  test('a link is no upload, and its address is not asked', async () => {
    const { value } = await run('attach-link', {
      idCard,
      url: 'https://files.harbourlight.example/secret',
      name: 'Secret',
    })
    expect((await download(value.id as string)).failure).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/link/) as string,
    })
    expect(await usage()).toBe(0)
  })

  test('an attachment of another card', async () => {
    const id = await planted(bytesOf(10), 'mine.bin')
    const other = await run('create-card', {
      idList: face.sandbox.board.state.cards.get(idCard)!.idList,
      name: 'Other',
    })
    expect((await run('download-attachment', { idCard: other.value.id, idAttachment: id })).failure).toMatchObject({
      code: 'not_found',
    })
    expect(await usage()).toBe(0)
  })

  test.each([
    ['that is cut in the middle', { cut: 'partial' as const }, /unreachable|provider_failed/],
    ['that fails', { answer: { status: 500, body: 'oops' } as never }, /provider_failed/],
  ])('a download %s', async (_, fault, code) => {
    const id = await planted(bytesOf(300_000), 'plan.bin')
    face.sandbox.board.control.fault({
      match: { method: 'GET', path: `/1/cards/${idCard}/attachments/${id}/download` },
      times: 9,
      ...fault,
    })
    expect((await download(id)).failure.code).toMatch(code)
    expect(await usage()).toBe(0)
  })

  test('a file that is too large for the account, with the reason', async () => {
    const { id } = await face.pack.files.create(caller, {
      name: 'large.bin',
      content: (async function* () {
        yield bytesOf(10 * 1024 * 1024 + 1)
      })(),
    })
    expect((await run('attach-file', { idCard, file: { file: id } })).failure).toMatchObject({ code: 'too_large' })
    expect(attachmentsOf()).toEqual([])
  })

  test.each([
    [{ file: 'fil_unknown' }, 'not_found'],
    [{}, 'invalid_input'],
    [{ name: '../a.txt', base64: 'eA==' }, 'invalid_input'],
    [{ name: 'a.txt', base64: 'not base64!' }, 'invalid_input'],
  ])('the input %j', async (file, code) => {
    expect((await run('attach-file', { idCard, file })).failure).toMatchObject({ code })
    expect(attachmentsOf()).toEqual([])
  })
})

describe('credentials', () => {
  test('open an upload at the board, and do not follow it elsewhere', async () => {
    const seen: string[] = []
    const elsewhere = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.end('stolen')
    })
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
    try {
      const id = await planted(bytesOf(10), 'plan.bin')
      const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/plan.bin`
      const at = `/1/cards/${idCard}/attachments/${id}/download`
      const moved = { status: 302, headers: { location }, body: '' } as never
      face.sandbox.board.control.fault({ match: { method: 'GET', path: at }, times: 9, answer: moved })
      expect((await download(id)).ok).toBe(false)
      expect(seen).toEqual([])
      expect(await usage()).toBe(0)
    } finally {
      elsewhere.close()
    }
  })

  test('in a name are removed', async () => {
    const { token } = face.sandbox.board.credentials
    const got = await download(await planted(bytesOf(10), `${token}.txt`))
    expect(got.ok).toBe(true)
    expect(JSON.stringify([got, await face.pack.files.list(caller, { limit: 9 })])).not.toContain(token)
  })
})
