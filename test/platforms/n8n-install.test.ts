import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { writePackage } from '../../scripts/packages/index.ts'
import { readManifests } from '../../scripts/packages/manifests.ts'
import { n8nPackage } from '../../scripts/packages/n8n/index.ts'
import { read } from '../docs/pages.ts'
import { cleanEnv } from '../package/installed.ts'

/**
 * The package where a reader has it: nothing is installed beside it, and npm is told nothing that the page does not
 * say.
 */
const folder = mkdtempSync(join(tmpdir(), 'toolyard-n8n-install-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const [, section = ''] = /\n## In n8n\n([^]*?)\n## /.exec(read('docs/platforms.md')) ?? []
const [install = ''] = /^1\. \*\*Install\.\*\* .*$/m.exec(section) ?? []
const commands = [...install.matchAll(/`(npm [^`]+)`/g)].map(([, command]) => command!)

it(
  'the package is installed, built and packed by the commands of docs/platforms.md',
  { timeout: 580_000 },
  async () => {
    expect(commands).toEqual(['npm install', 'npm run build', 'npm pack'])
    writePackage(folder, await n8nPackage(readManifests()))
    // How this machine reaches the registry (certificates, a proxy) belongs to it. What the run of this suite adds is
    // left out, so that npm is told nothing else.
    const registry = Object.entries(process.env).filter(([name]) =>
      /^npm_config_(registry|cache|cafile|userconfig|.*proxy)$/i.test(name),
    )
    const { NODE_ENV: _, ...env } = cleanEnv()
    for (const command of commands) {
      const { status, stdout, stderr } = spawnSync(command, {
        cwd: folder,
        shell: true,
        encoding: 'utf8',
        // Of what the suite has just installed, npm has kept the files.
        env: { ...env, ...Object.fromEntries(registry), npm_config_prefer_offline: 'true' },
      })
      expect([command, status], `${stdout}${stderr}`).toEqual([command, 0])
    }
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string
      version: string
    }
    const listed = spawnSync('tar', ['tzf', `${name}-${version}.tgz`], { cwd: folder, encoding: 'utf8' }).stdout.split(
      '\n',
    )
    const { n8n } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      n8n: { nodes: string[]; credentials: string[] }
    }
    expect(listed).toEqual(expect.arrayContaining([...n8n.nodes, ...n8n.credentials].map((file) => `package/${file}`)))
  },
)
