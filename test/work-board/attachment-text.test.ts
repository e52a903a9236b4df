import { expect, it } from 'vitest'
import { failureOf, ids, runStep } from './fake.ts'

/** What Get Attachment Text makes of a file. */
const upload = { id: ids.attachment, name: 'Notes', fileName: 'notes.md', isUpload: true, mimeType: '', bytes: 20 }
const read = (content: unknown, row: object = {}, input: object = {}) =>
  runStep('get-attachment-text', { idCard: ids.card, idAttachment: ids.attachment, ...input }, [
    { ...upload, ...row },
    content,
  ])

it('the text is read where the board has the file, and marked as written by others', async () => {
  const { sent, output } = await read('# Plan\n\nPrint.')
  expect(sent[1]).toEqual({
    method: 'GET',
    path: `/1/cards/${ids.card}/attachments/${ids.attachment}/download/notes.md`,
    replyAs: 'text',
  })
  expect(output).toEqual({
    id: ids.attachment,
    name: 'Notes',
    text: '# Plan\n\nPrint.',
    characters: 14,
    untrusted: true,
  })
})

it('a long text is read in parts that together are the whole', async () => {
  const whole = 'abcdefghij'.repeat(5)
  const parts: string[] = []
  for (let start: number | undefined = 0; start !== undefined;) {
    const { output } = await read(whole, {}, { start, limit: 20 })
    parts.push(output.text as string)
    start = output.next as number | undefined
  }
  expect(parts.map((part) => part.length)).toEqual([20, 20, 10])
  expect(parts.join('')).toBe(whole)
})

it('characters that people cannot see are left out', async () => {
  expect((await read('Pay\u202E no\u{E0041}body')).output).toMatchObject({ text: 'Pay nobody', characters: 10 })
})

it.each([
  ['of another type', { fileName: 'plan.docx', mimeType: 'application/msword' }, /of the type application\/msword/],
  ['that is too large a PDF', { mimeType: 'application/pdf', bytes: 5_000_001 }, /has 5000001 bytes/],
  ['of no type', { fileName: 'plan' }, /of an unknown type/],
  ['that is too large', { bytes: 3_000_000 }, /has 3000000 bytes/],
  ['elsewhere', { isUpload: false, url: 'https://files.example/x' }, /is a link to https:\/\/files\.example\/x/],
])('a file %s is refused before it is fetched', async (_, row, message) => {
  expect(await failureOf(read(undefined, row))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(message) as string,
  })
})

it.each(['a\0b', 'caf\uFFFD'])('a file that is no text in spite of its name is refused', async (content) => {
  expect(await failureOf(read(content))).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('not UTF-8 text') as string,
  })
})

it.each([{ mimeType: 'application/pdf' }, { fileName: 'Plan.PDF' }])('the text of a PDF is read: %j', async (row) => {
  const { sent, output } = await read({ text: 'Plan \u202Eof work', pages: 300, readPages: 200 }, row, { limit: 4 })
  expect(sent[1]).toMatchObject({ method: 'GET', path: expect.stringContaining('/download/') as string })
  expect(sent[1]).not.toHaveProperty('replyAs')
  const untrusted = { characters: 12, next: 4, untrusted: true }
  expect(output).toMatchObject({ text: 'Plan', pages: 300, readPages: 200, ...untrusted })
})
