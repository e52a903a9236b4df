import { expect, it } from 'vitest'
import { failures } from '#kit'
import { read } from './pages.ts'

type Pins = { devDependencies: Record<string, string> }

it('docs/mcp-hosts.md names the versions of the hosts that are tried', () => {
  const page = read('docs/mcp-hosts.md')
  const [, section = ''] = /## Hosts that were tried\n([^]*)$/.exec(page) ?? []
  const named = [...section.matchAll(/^\| .+? \| `([^`]+)` (\S+) \|/gm)].map(([, name, version]) => [name, version])
  expect(named.length).toBeGreaterThanOrEqual(8)
  const pins = ['test/tools/package.json', 'package.json'].map(
    (file) => (JSON.parse(read(file)) as Pins).devDependencies,
  )
  expect(named).toEqual(named.map(([name]) => [name, pins.map((pin) => pin[name!]).find(Boolean)]))
  expect(section).toContain(`each of the ${Object.keys(failures).length} failure codes`)
})
