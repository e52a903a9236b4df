import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { bytesOf, openFilesWorld, talk } from './world.ts'
import type { FilesWorld } from './world.ts'

const world = await openFilesWorld({ limits: { tenant: { fileMegabytes: 12 } } })

const nothingLeft = async () => {
  // An upload whose sender has gone is noticed a moment later.
  await expect.poll(() => world.left()).toEqual({ files: 0, chunks: 0 })
}
const removeAll = async () => {
  const { items } = (await (await world.ask('/v1/files?limit=200')).json()) as { items: { id: string }[] }
  for (const { id } of items) await world.ask(`/v1/files/${id}`, { method: 'DELETE' })
}
const put = async (...uploadArguments: Parameters<FilesWorld['upload']>) =>
  (await (await world.upload(...uploadArguments)).json()) as any
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), bytesOf(300_000)])
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a file', () => {
  afterEach(removeAll)

  it('comes as it is and goes out as an attachment that nothing renders', async () => {
    const made = await world.upload('Grüße & "co".png', png, { 'content-type': 'text/html' })
    expect(made.status).toBe(201)
    const file = (await made.json()) as any
    expect(file).toMatchObject({
      name: 'Grüße & "co".png',
      mediaType: 'image/png',
      size: png.length,
      sha256: sha256(png),
      source: 'upload',
      runId: null,
    })
    expect(made.headers.get('location')).toBe(`/v1/files/${file.id}`)
    expect(Date.parse(file.expiresAt) - Date.parse(file.createdAt)).toBeGreaterThan(6.9 * 86_400_000)

    const got = await world.ask(`/v1/files/${file.id}`)
    expect(Buffer.from(await got.arrayBuffer()).equals(png)).toBe(true)
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': `attachment; filename="Gr__e _ _co_.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%26%20%22co%22.png`,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    expect(await (await world.ask(`/v1/files/${file.id}/metadata`)).json()).toEqual(file)
    expect(await (await world.ask('/v1/files')).json()).toEqual({ items: [file] })
  })

  it('comes in a form, as base64, and empty', async () => {
    const form = new FormData()
    form.append('file', new Blob([png], { type: 'image/png' }), 'photo.png')
    expect(await (await world.ask('/v1/files', { method: 'POST', body: form })).json()).toMatchObject({
      name: 'photo.png',
      sha256: sha256(png),
    })
    const json = (body: object) =>
      world.ask('/v1/files', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    const text = await json({
      name: 'note.csv',
      base64: Buffer.from('a,b\n1,2\n').toString('base64'),
      mediaType: 'text/csv',
      expiresInHours: 1,
    })
    expect(await text.json()).toMatchObject({ name: 'note.csv', mediaType: 'text/csv', size: 8 })
    expect(await (await world.upload('empty.txt', '')).json()).toMatchObject({
      size: 0,
      sha256: sha256(Buffer.alloc(0)),
    })
    expect(await (await json({ name: 'a', base64: Buffer.alloc(1_000_001).toString('base64') })).json()).toMatchObject({
      code: 'too_large',
    })
    expect(await (await json({ name: 'a', base64: '??' })).json()).toMatchObject({
      code: 'invalid_input',
      detail: expect.stringContaining('not base64'),
    })
    expect(await (await json({ name: 'a' })).json()).toMatchObject({
      code: 'invalid_input',
      detail: expect.stringContaining('Give "name" and "base64", or "url".'),
    })
  })

  it('keeps a page or a script from being one', async () => {
    const { id, mediaType } = await put('page.html', '<script>alert(1)</script>', { 'content-type': 'text/html' })
    expect(mediaType).toBe('text/html')
    expect((await world.ask(`/v1/files/${id}`)).headers.get('content-type')).toBe('application/octet-stream')
    const text = '<script>alert(1)</script>'
    const sentAs = async (type: string, content: string) => {
      const file = await put('a.txt', content, { 'content-type': type })
      return (await world.ask(`/v1/files/${file.id}`)).headers.get('content-type')?.split(';')[0]
    }
    const scripts = [
      'ecmascript',
      'jscript',
      'livescript',
      'x-javascript',
      'javascript1.5',
      'x-ecmascript',
      'x-component',
    ]
    const otherTypes = [
      'application/xml',
      'application/rss+xml',
      'image/svg+xml',
      'application/javascript',
      'text/css',
      'text/x-new',
    ]
    for (const type of [...scripts.map((name) => `text/${name}`), ...otherTypes])
      expect([type, await sentAs(type, text)]).toEqual([type, 'application/octet-stream'])
    for (const type of ['application/x-shockwave-flash', 'application/x-thing', 'application/wasm'])
      expect([type, await sentAs(type, '\0\u0001')]).toEqual([type, 'application/octet-stream'])
    for (const type of ['text/plain', 'text/csv', 'application/json', 'text/markdown'])
      expect(await sentAs(type, 'a,b')).toBe(type)
    expect(await (await world.upload('lie.png', 'no picture', { 'content-type': 'image/png' })).json()).toMatchObject({
      mediaType: 'text/plain',
    })
  })

  it('a repeat with the same key and content gives the same file; another content is a conflict', async () => {
    const send = async (content: string) => (await world.upload('a.txt', content, { 'idempotency-key': 'k1' })).json()
    const [firstFile, two] = [await send('same'), await send('same')]
    expect(two).toEqual(firstFile)
    expect(await send('other')).toMatchObject({ code: 'conflict' })
    expect(world.left()).toEqual({ files: 1, chunks: 1 })
  })

  it('a repeat after the file has expired stores it anew', async () => {
    const send = async () =>
      (await (await world.upload('late.txt', 'same', { 'idempotency-key': 'late' })).json()) as any
    const first = await send()
    world.moveOn(7 * 86_400_000 + 1)
    const again = await send()
    expect(again.id).not.toBe(first.id)
    expect(await (await world.ask(`/v1/files/${again.id}`)).text()).toBe('same')
    expect(world.left()).toEqual({ files: 1, chunks: 1 })
  })

  it('of a token that is bound to connections is seen by these only', async () => {
    const { files } = world.pack
    const of = (...connections: string[]) => ({ tenant: 'default', connections })
    const upload = { name: 'a.txt', base64: 'bWluZQ==', idempotencyKey: 'shared' }
    const [ann, ben] = [await files.create(of('con_ann'), upload), await files.create(of('con_ben'), upload)]
    const tenantFile = await files.create({ tenant: 'default' }, upload)
    expect(new Set([ann.id, ben.id, tenantFile.id]).size).toBe(3)
    const names = async (caller: Parameters<typeof files.list>[0]) =>
      (await files.list(caller, { limit: 9 })).items.map(({ id }) => id)
    expect(await names(of('con_ann'))).toEqual([ann.id])
    expect(await names(of('con_ben', 'con_ann'))).toEqual([ben.id, ann.id])
    expect(await names({ tenant: 'default' })).toEqual([tenantFile.id, ben.id, ann.id])
    // Nor what somebody uploaded whose token is not bound: it belongs to no connection.
    for (const reach of [files.get, files.open, files.remove])
      for (const { id } of [ben, tenantFile])
        await expect(reach(of('con_ann'), id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is of one tenant', async () => {
    await world.pack.tenants.create({ id: 'other', name: 'Other' })
    const { id } = await put('a.txt', 'mine')
    const token = await world.tokenOf('other')
    for (const [path, method] of [
      [`/v1/files/${id}`, 'GET'],
      [`/v1/files/${id}/metadata`, 'GET'],
      [`/v1/files/${id}`, 'DELETE'],
    ])
      expect(await (await world.ask(path!, { method: method!, token })).json()).toMatchObject({ code: 'not_found' })
    expect(await (await world.ask('/v1/files', { token })).json()).toEqual({ items: [] })
    expect((await world.ask(`/v1/files/${id}`)).status).toBe(200)
  })

  it('is gone when it has expired, and retention removes what is left', async () => {
    const { id } = await put('a.bin', bytesOf(2_000_000), { 'content-type': 'application/x-thing' })
    world.moveOn(7 * 86_400_000 + 1)
    const gone = await world.ask(`/v1/files/${id}`)
    expect([gone.status, await gone.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found', detail: expect.stringMatching(/expired.*Upload it again/) }),
    ])
    expect(world.left().chunks).toBeGreaterThan(10)
    await world.prune()
    expect(world.left()).toEqual({ files: 0, chunks: 0 })
  })

  it('is not in the clear on disk, and neither name nor content is in the log', async () => {
    const secret = `canary-${'x'.repeat(50)}-content`
    await world.upload('canary-name.txt', secret)
    await world.pack.ready()
    const disk = Buffer.concat(
      await Promise.all(['toolyard.db', 'toolyard.db-wal'].map((name) => readFile(join(world.directory, name)))),
    )
    expect(disk.includes('canary-name.txt')).toBe(true)
    expect(disk.includes(secret.slice(0, 40))).toBe(false)
    expect(JSON.stringify(world.lines)).not.toContain('canary-')
  })

  it('opens after the master key was rotated', async () => {
    const { id } = await put('a.txt', 'still here')
    expect(await (await world.ask('/v1/admin/keys/rotate', { method: 'POST' })).json()).toMatchObject({ failed: [] })
    expect(await (await world.ask(`/v1/files/${id}`)).text()).toBe('still here')
  })
})

describe('refused, and nothing is left', () => {
  const head = (lines: string[]) =>
    [
      'POST /v1/files HTTP/1.1',
      'host: x',
      `authorization: Bearer ${world.token}`,
      'file-name: a.bin',
      ...lines,
      '',
      '',
    ].join('\r\n')

  it('a body of 1 GB', async () => {
    const said = await talk(world.origin, [head(['content-length: 1000000000']), bytesOf(100_000)])
    expect(said).toMatch(/^HTTP\/1\.1 413 [^]*fileMegabytes[^]*"code":"too_large"/)
    await nothingLeft()
  })

  it('a body that grows to 1 GB without saying so', async () => {
    const piece = Buffer.concat([Buffer.from('100000\r\n'), bytesOf(0x100000), Buffer.from('\r\n')])
    const said = await talk(world.origin, [
      head(['transfer-encoding: chunked']),
      ...Array.from({ length: 14 }, () => piece),
    ])
    expect(said).toMatch(/^HTTP\/1\.1 413 /)
    await nothingLeft()
  })

  it('a length that lies', async () => {
    await talk(world.origin, [head(['content-length: 500000']), bytesOf(400_000)], { hangUp: true })
    await nothingLeft()
    const content = async function* () {
      yield Buffer.from('four')
    }
    await expect(
      world.pack.files.create({ tenant: 'default' }, { name: 'a', length: 3, content: content() }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(
      world.pack.files.create({ tenant: 'default' }, { name: 'a', length: 5, content: content() }),
    ).rejects.toMatchObject({ code: 'invalid_input' })
    await nothingLeft()
  })

  it.each(['../a.txt', 'a/b', 'c:\\a.txt', '..', '', 'a\u0000b', 'a\u202etxt.exe', 'x'.repeat(201)])(
    'the name %j',
    async (name) => {
      const made = await world.upload(name, 'content')
      expect(await made.json()).toMatchObject({ code: 'invalid_input', detail: expect.stringContaining('plain name') })
      const form = new FormData()
      form.append('file', new Blob(['content']), name)
      expect((await world.ask('/v1/files', { method: 'POST', body: form })).status).toBe(400)
      await nothingLeft()
    },
  )

  it('a form that ends early, has two files, or none', async () => {
    const form = (text: string) =>
      world.ask('/v1/files', {
        method: 'POST',
        body: text,
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      })
    const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\ncontent\r\n'
    for (const [text, why] of [
      [part, 'ends before its last boundary'],
      [`${part}${part}--b--\r\n`, 'more than one part'],
      ['--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nx\r\n--b--', 'begins with a part that is no file'],
      ['--b--', 'has no part'],
      ['hello', 'ends before its last boundary'],
    ])
      expect(await (await form(text!)).json()).toMatchObject({
        code: 'invalid_input',
        detail: expect.stringContaining(why!),
      })
    await nothingLeft()
  })

  it('an encoded body, one without a name, and a token that may not', async () => {
    expect(await (await world.upload('a.txt', 'x', { 'content-encoding': 'gzip' })).json()).toMatchObject({
      code: 'invalid_input',
    })
    expect(await (await world.ask('/v1/files', { method: 'POST', body: 'x' })).json()).toMatchObject({
      detail: expect.stringContaining('File-Name'),
    })
    const { text: token } = await world.pack.tokens.create('default', { name: 'Reads', scopes: ['read'] })
    expect(
      (await world.ask('/v1/files', { method: 'POST', body: 'x', headers: { 'file-name': 'a' }, token })).status,
    ).toBe(403)
    await nothingLeft()
  })
})

describe('quotas', () => {
  it('count and size are limited per tenant; a refusal names the limit and what to do', async () => {
    await world.pack.tenants.create({ id: 'small', name: 'Small' })
    await world.pack.policies.put(
      'small',
      { limits: { files: 2, filesMegabytes: 1, fileMegabytes: 1 } },
      { tenant: 'default' },
    )
    const token = await world.tokenOf('small')
    const send = async (size: number) =>
      (await (
        await world.ask('/v1/files', {
          method: 'POST',
          body: bytesOf(size) as never,
          headers: { 'file-name': 'a.bin' },
          token,
        })
      ).json()) as any
    expect(await send(1_000_001)).toMatchObject({
      code: 'too_large',
      detail: expect.stringMatching(/1 MB.*"fileMegabytes"/),
    })
    const { id } = (await send(700_000)) as any
    expect(await send(700_000)).toMatchObject({
      code: 'not_allowed',
      detail: expect.stringMatching(/Remove some.*"filesMegabytes"/),
    })
    await send(1_000)
    expect(await send(1_000)).toMatchObject({ code: 'not_allowed', detail: expect.stringMatching(/2 files.*"files"/) })
    await world.ask(`/v1/files/${id}`, { method: 'DELETE', token })
    expect(await send(1_000)).toMatchObject({ size: 1_000 })
  })

  it('hold for files that come in at once', async () => {
    await world.pack.tenants.create({ id: 'crowd', name: 'Crowd' })
    await world.pack.policies.put(
      'crowd',
      { limits: { files: 5, filesMegabytes: 1, fileMegabytes: 1 } },
      { tenant: 'default' },
    )
    const send = (bytes: number) =>
      world.pack.files.create({ tenant: 'crowd' }, { name: 'a.bin', base64: bytesOf(bytes).toString('base64') }).then(
        ({ size }) => size,
        (refused: { code: string }) => refused.code,
      )
    const many = await Promise.all(Array.from({ length: 20 }, () => send(10)))
    expect(many.filter((result) => result === 10)).toHaveLength(5)
    const { items } = await world.pack.files.list({ tenant: 'crowd' }, { limit: 50 })
    await Promise.all(items.map(({ id }) => world.pack.files.remove({ tenant: 'crowd' }, id)))
    const large = await Promise.all(Array.from({ length: 4 }, () => send(400_000)))
    expect(large.filter((result) => result === 400_000).length).toBeLessThanOrEqual(2)
    expect((await world.store.files.usage('crowd')).bytes).toBeLessThanOrEqual(1_000_000)
  })
})
