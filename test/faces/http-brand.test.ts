/** The pages for people carry the operator's name, logo and colour, and share the values of the console's design. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { accentOf, colourProblem, contrast } from '../../shared/api/resources/brand.ts'
import { brandStyle, style, tokens } from '../../shared/faces/http/connect/assets.ts'
import { createHttp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import { readBrandFile } from '../../shared/settings-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolyard-brand-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const fileOf = (content: object) => {
  const file = join(folder, 'brand.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}
const hostile = 'Acme <img src=x onerror=alert(1)>'

describe('the brand of an operator', () => {
  it('is read from a file, with a logo beside it or in a data: address', async () => {
    writeFileSync(join(folder, 'logo.svg'), svg)
    expect(await readBrandFile(fileOf({ name: 'Acme', logo: 'logo.svg', colour: '#1f5fbf' }))).toMatchObject({
      name: 'Acme',
      colour: '#1f5fbf',
      logo: { type: 'image/svg+xml', bytes: Buffer.from(svg) },
    })
    const data = `data:image/png;base64,${Buffer.from('png').toString('base64')}`
    expect((await readBrandFile(fileOf({ logo: data })))!.logo).toEqual({
      type: 'image/png',
      bytes: Buffer.from('png'),
    })
    expect(await readBrandFile(undefined)).toBeUndefined()
  })

  it.each([
    [
      { colour: '#ffd500' },
      /colour is not usable: #ffd500 has a contrast of 1\.\d:1 .* needs 4\.5:1\. Choose a darker/,
    ],
    [{ colour: 'red; background: url(//evil.example)' }, /is not a colour such as/],
    [{ logo: 'https://elsewhere.example/logo.png' }, /cannot be read/],
    [{ logo: 'data:text/html,<p>' }, /is no image/],
    [{ logo: 'logo.exe' }, /is no svg, png, webp or jpeg/],
    [{ titel: 'Acme' }, /titel/],
  ])('is refused with the reason: %j', async (content, message) => {
    await expect(readBrandFile(fileOf(content))).rejects.toThrow(message)
  })

  it.each(['#000000', '#1f5fbf', '#4a45c4', '#b00020', '#0a6b3d'])('is readable in both designs: %s', (colour) => {
    const { light, onLight, dark, onDark } = accentOf(colour)
    for (const [text, ground] of [
      [light, '#ffffff'],
      [onLight, light],
      [dark, '#181a1f'],
      [onDark, dark],
    ] as const)
      expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5)
    expect(colourProblem(colour)).toBeUndefined()
    expect(brandStyle({ colour })).toContain(`--accent: light-dark(${light}, ${dark})`)
  })

  it('is on every page, as text and as an image of this server; the policy stays as strict', async () => {
    const pack = await createPack({})
    const brand = { name: hostile, colour: '#1f5fbf', logo: { type: 'image/svg+xml', bytes: Buffer.from(svg) } }
    const http = await createHttp({ pack, version: '0.0.0', brand, publicUrl: 'https://toolyard.example/at' })
    const page = await http.inject('/connect/none')
    expect(page.body).toContain('Acme &lt;img src=x onerror=alert(1)&gt;')
    expect(page.body).not.toContain('<img')
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    const logo = await http.inject('/connect/assets/logo')
    expect([logo.headers['content-type'], logo.body]).toEqual(['image/svg+xml', svg])
    expect(logo.headers['content-security-policy']).toContain('sandbox')
    const css = (await http.inject('/connect/assets/page.css')).body
    expect(css).toContain('light-dark(#1f5fbf,')
    // Beside the style, which is where the logo is.
    expect(css).toContain('background-image: url("logo")')
    await http.close()
    await pack.close()
  })

  it('is toolyard without one', async () => {
    const pack = await createPack({})
    const http = await createHttp({ pack, version: '0.0.0', publicUrl: 'https://toolyard.example' })
    expect((await http.inject('/connect/none')).body).toContain('<span>toolyard</span>')
    expect((await http.inject('/connect/assets/logo')).statusCode).toBe(404)
    expect((await http.inject('/connect/assets/page.css')).body).toBe(style)
    await http.close()
    await pack.close()
  })
})

it('the values of the pages for people are those of the console', () => {
  const css = readFileSync(new URL('../../shared/faces/console/styles/tokens.css', import.meta.url), 'utf8')
  for (const [name, value] of Object.entries(tokens)) expect(css).toContain(`--${name}: ${value};`)
})
