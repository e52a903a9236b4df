import { readFileSync } from 'node:fs'
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import { afterAll, describe, expect, it } from 'vitest'
import { createIcons } from '../../shared/faces/mcp/icons.ts'
import { hashOf } from '../../shared/faces/mcp/tools.ts'
import { bytesOf, call, eras, openMcpWorld, withClient } from '../support/mcp-world.ts'
import { integrationIds } from '../support/shipped.ts'

const world = await openMcpWorld()
afterAll(() => world.close())

type Icon = { src: string; mimeType?: string | undefined }
const svgOf = ({ src, mimeType }: Icon) => {
  expect([mimeType, src.slice(0, 26)]).toEqual(['image/svg+xml', 'data:image/svg+xml;base64,'])
  return Buffer.from(src.slice(26), 'base64').toString()
}

describe.each(eras)('icons over %s', (era) => {
  it('stand at every tool and prompt, are drawn without a script, and take little of the list', () =>
    withClient(
      world,
      era,
      async (client) => {
        const { tools } = await client.listTools()
        const { prompts } = await client.listPrompts()
        for (const { name, icons } of [...tools, ...prompts]) {
          expect(icons, name).toHaveLength(1)
          const svg = svgOf(icons![0]!)
          expect(svg, name).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 24 24".*<\/svg>$/s)
          expect(svg, name).not.toMatch(/currentColor|<script|href|<title/)
        }
        const bare = tools.map(({ icons: _, ...tool }) => tool)
        expect(bytesOf(tools)).toBeLessThan(bytesOf(bare) * 1.2)
      },
      { path: '/mcp?set=all' },
    ))

  it('and those of the server, for light and dark grounds, with its title and website', async () => {
    const infoAt = (path: string) => withClient(world, era, async (client) => client.getServerVersion()!, { path })
    const all = await infoAt('/mcp')
    expect(all).toMatchObject({ name: 'toolyard', title: 'Toolyard', version: '9.9.9' })
    expect(all.websiteUrl).toMatch(/^https:\/\//)
    expect(all.icons!.map(({ theme }) => theme)).toEqual(['light', 'dark'])
    const shown = new Set([JSON.stringify(all.icons)])
    for (const id of integrationIds) {
      const { title, icons } = await infoAt(`/mcp/${id}`)
      expect(title).toMatch(/^Toolyard: [A-Z]/)
      for (const icon of icons!) expect(svgOf(icon)).toContain('<svg')
      shown.add(JSON.stringify(icons))
    }
    // An integration that brings no icon has a copy of the server's.
    const drawn = new Set(
      ['toolyard', ...integrationIds].map((id) =>
        readFileSync(new URL(`../../manifests/icons/${id}.svg`, import.meta.url), 'utf8'),
      ),
    )
    expect(shown.size).toBe(drawn.size)
    expect(drawn.size).toBeGreaterThan(3)
  })
})

it('are no part of what somebody approves', () =>
  withClient(world, '2026-07-28', async (client) => {
    const { tools, _meta } = await client.listTools()
    expect(_meta!['toolyard/hash']).toBe(hashOf(tools.map(({ icons: _, ...tool }) => tool) as never))
  }))

it('are not repeated in each result, which names its server all the same', () =>
  withClient(world, '2026-07-28', async (client) => {
    const result = await call(client, 'work_board_get_boards', {})
    expect(result._meta![SERVER_INFO_META_KEY]).toEqual({ name: 'toolyard', version: '9.9.9' })
    const failed = await call(client, 'work_board_get_card', {})
    expect([failed.isError, failed._meta![SERVER_INFO_META_KEY]]).toEqual([
      true,
      { name: 'toolyard', version: '9.9.9' },
    ])
  }))

it('are those of the pack for an integration that ships none, and none at its tools', () => {
  const icons = createIcons()
  expect(icons.ofServer('of-an-operator')).toEqual(icons.ofServer(undefined))
  expect([icons.named('of-an-operator'), icons.named(undefined)]).toEqual([{}, {}])
  const drawn = readFileSync(new URL('../../manifests/icons/steps/archive.svg', import.meta.url), 'utf8')
  expect(drawn).toContain('currentColor')
  expect(svgOf(icons.named('archive').icons![0]!)).toContain('stroke="#0d9488"')
})
