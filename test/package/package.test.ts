import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startProvider } from '../support/provider.ts'
import { addPackage, install, packageJson, root, run, serve } from './installed.ts'
import { compileAlone, environments } from './alone.ts'
import { askEditor } from './editor.ts'
import type { Installed, Ran, Server } from './installed.ts'
import { blockOf } from '../docs/pages.ts'
import { listedTools, integrationIds, stepCount } from '../support/shipped.ts'

let installed: Installed
beforeAll(() => {
  installed = install()
})
afterAll(() => installed?.remove())

const read = (file: string) => readFileSync(join(installed.home, file), 'utf8')
const bin = () => join(installed.folder, 'node_modules', '.bin', 'toolyard')
const toolyard = (args: string[], env: Record<string, string> = {}): Ran =>
  run(process.execPath, [bin(), ...args], {
    cwd: installed.folder,
    env: { TOOLYARD_DATA: join(installed.folder, 'data'), ...env },
  })
const tool = (name: string) => join(root, 'test', 'tools', 'node_modules', '.bin', name)

describe('the tarball', () => {
  it('holds what is used, and nothing of the making', () => {
    const { files, bytes } = installed.packed
    for (const file of [
      'package.json',
      'README.md',
      'docs/configuration.md',
      'LICENSE',
      'CHANGELOG.md',
      'shared/toolyard.js',
      'dist/toolyard.js',
      'dist/index.js',
      'dist/kit.js',
      'dist/fastify.js',
      'dist/client.js',
      'dist/toolyard-connect.js',
      'dist/toolyard-connect.d.ts',
      'dist/pdf-worker.js',
      'dist/pages/board.html',
      'dist/pages/agent.js',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/sbom.cdx.json',
      'dist/build-id.txt',
      'SECURITY.md',
    ])
      expect(files).toContain(file)
    for (const file of [
      'manifests/pack.json',
      'manifests/manifest.schema.json',
      'manifests/work-board.json',
      'dist/types/shared/faces/library/index.d.ts',
      'dist/types/shared/faces/client/index.d.ts',
    ])
      expect(files).toContain(file)
    const otherFiles = files.filter(
      (file) =>
        !/^(dist\/|manifests\/|docs\/)/.test(file) &&
        !['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'shared/toolyard.js'].includes(file),
    )
    expect(otherFiles).toEqual([])
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([])
    // Unpacked; 1.8 MB of it read PDFs.
    expect(bytes).toBeLessThan(15_000_000)
  })

  it('names no place of the machine it was built on, and loads nothing by a path of the checkout', () => {
    for (const file of installed.packed.files.filter((name) => /^dist\/.*(js|d\.ts)$/.test(name))) {
      const text = read(file)
      expect(text.includes(root), `${file} names ${root}`).toBe(false)
      expect(/(from|import\()\s*['"][^'"]*(#kit|\.ts)['"]/.test(text), `${file} imports source`).toBe(false)
    }
  })

  it('each entry of the library says which Node it needs on an older one, before it loads anything', () => {
    const older = join(installed.folder, 'older-node.mjs')
    writeFileSync(
      older,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.21.0' } })\n",
    )
    for (const entry of ['toolyard', 'toolyard/kit', 'toolyard/fastify']) {
      const { code, err } = run(
        process.execPath,
        ['--import', older, '--input-type=module', '-e', `await import('${entry}')`],
        { cwd: installed.folder },
      )
      expect(code).not.toBe(0)
      expect(err).toContain(
        'toolyard needs Node 24.12 or newer, this is v22.21.0; put a newer one first on the PATH, or bring one along: npx -y -p node@24 node <your file>',
      )
      expect(Math.max(...err.split('\n').map(({ length }) => length))).toBeLessThan(200)
    }
    // What any Node can read: no built-in that an older one lacks is linked.
    for (const entry of ['index', 'kit', 'fastify'])
      expect(read(`dist/${entry}.js`).match(/^import .*/gm)).toEqual(["import { createRequire } from 'node:module'"])
  })

  it('keeps the server out of the library', () => {
    const library = [
      'index-module.js',
      'kit-module.js',
      ...readdirSync(join(installed.home, 'dist')).filter((name) => name.startsWith('chunk-')),
    ]
    const reached = new Set<string>()
    const follow = (file: string) => {
      if (reached.has(file)) return
      reached.add(file)
      for (const [, name] of read(`dist/${file}`).matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) follow(name!)
    }
    follow('index-module.js')
    expect([...reached].every((file) => library.includes(file))).toBe(true)
    const text = [...reached].map((file) => read(`dist/${file}`)).join('\n')
    for (const name of ['fastify', 'pino', 'commander', '@modelcontextprotocol', 'prom-client', 'hono'])
      expect(text.includes(`node_modules/${name}/`), name).toBe(false)
    expect(text.includes('node_modules/undici/')).toBe(true)
  })
})

describe('the third parties of the tarball', () => {
  it('are bundled: nothing else is installed with it', () => {
    expect(readdirSync(join(installed.folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      packageJson.name,
    ])
    const manifest = JSON.parse(read('package.json')) as Record<string, unknown>
    expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name) && name !== 'devDependencies')).toEqual(
      [],
    )
    expect(manifest).toMatchObject({ publishConfig: { access: 'public', provenance: true } })
    expect(manifest.private).toBeUndefined()
  })

  it('are published by a workflow that may state where they come from, after all checks', () => {
    const release = blockOf('release')
    // Without this the registry gets no statement of provenance, and npm refuses to publish.
    expect(release).toContain('id-token: write')
    expect([...release.matchAll(/- run: (.+)/g)].map(([, command]) => command)).toEqual(['.ci/run', 'npm publish'])
    expect(existsSync(join(root, '.ci', 'run'))).toBe(true)
  })

  it('can be published: a dry run without a registry names version, tag and access', () => {
    const args = ['publish', '--dry-run', '--json', '--offline', '--registry', 'http://127.0.0.1:9']
    const { code, out, err } = run('npm', [...args, installed.packed.tarball], { cwd: installed.folder })
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ [packageJson.name]: { version: packageJson.version } })
    expect(err).toContain('with tag latest and public access (dry-run)')
  })

  it('are those of the SBOM and of the licences that are shipped', () => {
    const { components, metadata } = JSON.parse(read('dist/sbom.cdx.json')) as {
      components: { name: string; version: string }[]
      metadata: { component: { version: string } }
    }
    expect(metadata.component.version).toBe(packageJson.version)
    const componentNames = components.map(({ name, version }) => `${name} ${version}`)
    const licensed = [
      ...read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/^((?:@[\w.-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S*) \(/gm),
    ].map(([, name]) => name!)
    expect(new Set(licensed)).toEqual(new Set(componentNames))
    // The bundler names the file that a part was made of where the part is wrapped.
    const names = new Set(components.map(({ name }) => name))
    const scripts = installed.packed.files.filter((file) => /^dist\/[^/]+\.js$/.test(file))
    const inside = scripts.flatMap((file) =>
      [...read(file).matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g)].map(([, name]) => name!),
    )
    expect(inside.length).toBeGreaterThan(20)
    expect([...new Set(inside)].filter((name) => !names.has(name) && name !== '.cache')).toEqual([])
  })
})

describe('the checkers', () => {
  it('publint finds nothing', () => {
    const { code, out, err } = run(process.execPath, [tool('publint'), 'run', installed.packed.tarball, '--strict'], {
      cwd: root,
    })
    expect(code, out + err).toBe(0)
    expect(out).toMatch(/All good/)
  })

  it('attw finds nothing for those who import', () => {
    const { code, out, err } = run(
      process.execPath,
      [
        tool('attw'),
        installed.packed.tarball,
        '--profile',
        'esm-only',
        '--format',
        'ascii',
        '--no-emoji',
        '--exclude-entrypoints',
        'manifests/*',
      ],
      { cwd: root },
    )
    expect(code, out + err).toBe(0)
    expect(out.match(/node16 \(from ESM\): OK/g)).toHaveLength(6)
  })

  it('its declarations compile against what a platform writes, library checks included, and need no package of a third party', () => {
    addPackage(installed, 'fastify')
    copyFileSync(join(root, 'test', 'package', 'consumer', 'types.ts'), join(installed.folder, 'types.ts'))
    const tsc = join(root, 'node_modules', '.bin', 'tsc')
    const args = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      '--typeRoots',
      join(root, 'node_modules', '@types'),
    ]
    const { code, out } = run(tsc, [...args, 'types.ts'], { cwd: installed.folder })
    // What other packages declare is theirs to mend.
    const ours = out
      .split('\n')
      .filter((line) => line !== '' && !/^node_modules\/(?!toolyard\/)|^\s/.test(line) && !line.includes('@types/node'))
    expect(ours).toEqual([])
    if (code !== 0) console.log(out)
  })

  it.each(environments)('its declarations compile in a project without types of Node: %s', (_, options) => {
    expect(compileAlone(installed, options)).toEqual([])
  })
})

describe('types by id', () => {
  const compile = (file: string, text: string) => {
    writeFileSync(join(installed.folder, file), text)
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--extendedDiagnostics',
    ]
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules', '@types')]
    const { out } = run(join(root, 'node_modules', '.bin', 'tsc'), [...options, ...types, file], {
      cwd: installed.folder,
    })
    const errors = out.split('\n').filter((line) => / error TS\d+: /.test(line))
    return {
      errors,
      lines: errors.map((line) => Number(/\((\d+),/.exec(line)?.[1])),
      instantiations: Number(/^Instantiations: +(\d+)/m.exec(out)?.[1]),
    }
  }
  const typed = readFileSync(join(root, 'test', 'package', 'consumer', 'typed.ts'), 'utf8')

  it('right programs compile, quickly', () => {
    const { errors, instantiations } = compile('typed.ts', typed)
    expect(errors).toEqual([])
    // Of zod's types, which no program about steps needs, they would be a hundred times as many.
    expect(instantiations).toBeLessThan(10_000)
    // They grow with the steps, and with nothing else; steps that search have every filter in their input.
    const manifestOf = (id: string) =>
      JSON.parse(readFileSync(join(root, 'manifests', `${id}.json`), 'utf8')) as { steps: unknown[] }
    const steps = ['anz-data', 'contact-data', 'work-board'].flatMap((id) => manifestOf(id).steps).length
    const bytes = readFileSync(join(installed.home, 'dist/types/manifests/types.d.ts')).length
    expect(bytes / steps).toBeLessThan(2_100)
  })

  it('programs that use the client compile, and fail where they are wrong', () => {
    const text = readFileSync(join(root, 'test', 'package', 'consumer', 'client.ts'), 'utf8')
    const { errors, instantiations } = compile('client.ts', text)
    expect(errors).toEqual([])
    expect(instantiations).toBeLessThan(10_000)
    const wrong = text.split('\n').flatMap((line, index) => (line.includes('@ts-expect-error') ? [index + 2] : []))
    expect(compile('wrong-client.ts', text.replaceAll('@ts-expect-error', '')).lines).toEqual(wrong)
  })

  it('wrong ones fail, each at its line and nowhere else', () => {
    const wrong = typed.split('\n').flatMap((line, index) => (line.includes('@ts-expect-error') ? [index + 2] : []))
    expect(wrong.length).toBeGreaterThan(15)
    const { errors, lines } = compile('wrong.ts', typed.replaceAll('@ts-expect-error', ''))
    expect(lines, errors.join('\n')).toEqual(wrong)
    expect(errors.join('\n')).toContain(`Did you mean '"create-card"'?`)
  })

  it('every example of every step and trigger has them', () => {
    const [lines, manifests] = [[] as string[], integrationIds.map((id) => JSON.parse(read(`manifests/${id}.json`)))]
    const give = (type: string, integration: string, id: string, value: unknown) =>
      void lines.push(`void (${JSON.stringify(value)} satisfies ${type}<'${integration}', '${id}'>)`)
    for (const { id: integration, steps, triggers } of manifests) {
      for (const { id, examples } of steps)
        for (const { input, output } of examples) {
          if (output === undefined) continue
          give('StepInput', integration, id, input)
          give('StepOutput', integration, id, output)
        }
      for (const { id, examples } of triggers)
        for (const { config, data } of examples) {
          give('TriggerConfig', integration, id, config)
          if (data !== null) give('TriggerEvent', integration, id, data)
        }
    }
    expect(lines.length).toBeGreaterThan(150)
    expect(
      compile(
        'examples.ts',
        `import type { StepInput, StepOutput, TriggerConfig, TriggerEvent } from 'toolyard'\n${lines.join('\n')}`,
      ).errors,
    ).toEqual([])
  })

  it('an editor offers ids and fields in plain JavaScript, and shows what a field is', async () => {
    const { offered, hover } = await askEditor(installed.folder)
    expect(offered.integration).toEqual(expect.arrayContaining(integrationIds))
    expect(offered.step).toEqual(expect.arrayContaining(['create-card', 'get-boards']))
    expect(offered.step).not.toContain('find-contact')
    expect(offered.input).toEqual(expect.arrayContaining(['name', 'desc', 'due']))
    expect(offered.trigger).toEqual(expect.arrayContaining(['new-card', 'card-moved']))
    expect(offered.config).toEqual(expect.arrayContaining(['boards', 'lists']))
    const { steps } = JSON.parse(read('manifests/work-board.json'))
    expect(hover).toContain(
      steps.find(({ id }: { id: string }) => id === 'create-card').input.properties.idList.description,
    )
  })
})

describe('the command', () => {
  it('tells its version and lists every step', () => {
    expect(toolyard(['--version'])).toMatchObject({ code: 0, out: `${packageJson.version}\n` })
    const { code, out, err } = toolyard(['list', '--json'])
    expect(code, err).toBe(0)
    expect(out.match(/"tool":/g)).toHaveLength(stepCount)
  })

  it('refuses an older Node in one line', () => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'22.20.0'})`
    const remedy = 'npx -y -p node@24 -p toolyard toolyard …'
    const line = new RegExp(
      `^toolyard needs Node 24\\.12 or newer, this is v[\\d.]+; put a newer one first on the PATH, or bring one along: ${remedy}\n$`,
    )
    for (const page of ['README.md', 'docs/platforms.md']) expect(read(page)).toContain(`\`${remedy}\``)
    const refusals = [run(process.execPath, ['--import', pretend, bin(), 'serve'], { cwd: installed.folder })]
    for (const node of ['/usr/bin/node', '/usr/local/bin/node']) {
      const isOlder =
        existsSync(node) &&
        Number(execFileSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).split('.')[0]) < 24
      if (isOlder) refusals.push(run(node, [bin(), 'list'], { cwd: installed.folder }))
    }
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: 1, out: '', err: expect.stringMatching(line) })
  })

  it('runs a step against the sandbox', () => {
    const { code, out, err } = toolyard(['run', 'work-board', 'get-boards', '--sandbox', '--json'])
    expect(code, err).toBe(0)
    expect(out).toContain('"boards"')
  })
})

describe('the server', () => {
  let server: Server
  beforeAll(async () => {
    server = await serve(installed, join(installed.folder, 'served'))
  })
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  const ask = async (path: string, body?: unknown): Promise<{ status: number; json: any }> => {
    const reply = await fetch(`${server.address}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: reply.status, json: await reply.json() }
  }

  it('lists, describes and runs', async () => {
    expect(await ask('/v1/integrations')).toMatchObject({
      status: 200,
      json: { items: integrationIds.map((id) => ({ id })) },
    })
    expect((await ask('/openapi.json')).json.openapi).toBe('3.1.0')
    const metrics = await fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
    const about = `version="${packageJson.version}",build="${read('dist/build-id.txt').trim()}"`
    expect(await metrics.text()).toContain(`toolyard_info{${about}} 1`)
    const manifest = (await ask('/v1/integrations/work-board')).json
    expect(manifest.steps.find(({ id }: { id: string }) => id === 'create-card').examples.length).toBeGreaterThan(0)
    const boards = await ask('/v1/steps/work-board/get-boards/run', { input: { lists: 'open' } })
    const idList = boards.json.output.boards.flatMap(({ lists }: { lists: { id: string }[] }) => lists)[0].id as string
    const card = await ask('/v1/steps/work-board/create-card/run', { input: { idList, name: 'Call the printer' } })
    expect(card).toMatchObject({ status: 200, json: { output: { name: 'Call the printer' } } })
    const reply = await ask('/v1/steps/anz-data/company-enrichment/run', {
      input: { domain: 'nobody-has-this.com.au' },
    })
    expect(reply.status).toBe(200)
  })
})

describe('the library', () => {
  it('runs steps of ours and of a platform, and finds manifests and examples', async () => {
    const provider = await startProvider((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(
          request.method === 'POST'
            ? { id: '2'.padStart(24, '0'), name: 'Call the printer' }
            : { id: `seen ${request.url}`, username: 'kim', fullName: 'Kim Rowe' },
        ),
      )
    })
    copyFileSync(join(root, 'test', 'package', 'consumer', 'library.js'), join(installed.folder, 'library.js'))
    const { spawn } = await import('node:child_process')
    const child = spawn(process.execPath, ['library.js', provider.origin], {
      cwd: installed.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (part: Buffer) => (out += part.toString()))
    child.stderr.on('data', (part: Buffer) => (err += part.toString()))
    const code = await new Promise((done) => child.once('close', done))
    await provider.close()
    expect(code, err).toBe(0)
    const { normalised, ...seen } = JSON.parse(out) as Record<string, any>
    expect(seen).toEqual({
      created: 'Call the printer',
      tools: listedTools.length,
      integrations: integrationIds,
      examples: expect.any(Number),
      isFailure: true,
      greeted: 'seen /greetings/Kim',
      refused: 'invalid_input',
    })
    expect(seen.examples).toBeGreaterThan(0)
    // No account: but the input was read, so the public suffix list was there.
    expect(normalised.failure.code).toBe('not_connected')
    const wrong = run(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        "import { normaliseDomain } from 'toolyard/kit'; console.log(JSON.stringify([normaliseDomain('https://www.shop.papermill.com.au/x'), normaliseDomain('com.au')]))",
      ],
      { cwd: installed.folder },
    )
    expect(JSON.parse(wrong.out)).toEqual([
      { ok: true, value: 'papermill.com.au' },
      { ok: false, reason: expect.stringContaining('public suffix') },
    ])
  })

  it('can be required by a platform in CommonJS', () => {
    writeFileSync(
      join(installed.folder, 'old.cjs'),
      "const { createPack } = require('toolyard'); console.log(typeof createPack)",
    )
    // Node takes ES modules by require, as long as nothing in them waits at the top.
    expect(run(process.execPath, ['old.cjs'], { cwd: installed.folder })).toMatchObject({ code: 0, out: 'function\n' })
  })
})
