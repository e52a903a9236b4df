import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string
  version: string
}

/** The environment of a child, as on a user's machine: nothing of this checkout or of npm's run leaks in. */
export const cleanEnv = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(TOOLYARD_|OTEL_|NODE_OPTIONS|npm_|VITEST|NODE_PATH|NODE_COMPILE_CACHE)/.test(name),
    ),
  )

export type Ran = { code: number | null; out: string; err: string }
export const run = (command: string, args: string[], options: { cwd: string; env?: Record<string, string> }): Ran => {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: options.cwd,
    env: { ...cleanEnv(), ...options.env },
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  if (error) throw error
  return { code: status, out: stdout, err: stderr }
}

const must = ({ code, out, err }: Ran) => {
  if (code !== 0) throw new Error(`ended with ${code}:\n${out}\n${err}`)
  return out
}

export type Packed = { tarball: string; files: string[]; bytes: number }
export type Installed = {
  packed: Packed
  /** The empty folder it was installed into. */
  folder: string
  /** Its folder in `node_modules` there. */
  home: string
  remove(): void
}

/** Puts a package into the platform's folder, from where another install has it. */
export const addPackage = ({ folder }: { folder: string }, name: string, from = join(root, 'node_modules')) => {
  mkdirSync(join(folder, 'node_modules', name, '..'), { recursive: true })
  symlinkSync(join(from, name), join(folder, 'node_modules', name))
}

/** `npm pack` of this checkout, installed with its runtime dependencies only. */
export const install = (): Installed => {
  const place = mkdtempSync(join(tmpdir(), 'toolyard-package-'))
  const [pack] = JSON.parse(
    must(run('npm', ['pack', '--json', '--silent', '--pack-destination', place], { cwd: root })).replace(/^[^[]*/, ''),
  ) as {
    filename: string
    files: { path: string }[]
    unpackedSize: number
  }[]
  const packed = {
    tarball: join(place, pack!.filename),
    files: pack!.files.map(({ path }) => path),
    bytes: pack!.unpackedSize,
  }
  const folder = join(place, 'platform')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'platform', private: true, type: 'module' }))
  must(
    run(
      'npm',
      ['install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', packed.tarball],
      { cwd: folder },
    ),
  )
  return {
    packed,
    folder,
    home: join(folder, 'node_modules', packageJson.name),
    remove: () => rmSync(place, { recursive: true, force: true }),
  }
}

export type Server = { address: string; token: string; stop(): Promise<number | null> }

/** `toolyard serve --sandbox` of the installed package, once it says where it is. */
export const serve = async ({ folder }: Installed, data: string, env: Record<string, string> = {}): Promise<Server> => {
  const child = spawn(process.execPath, [join(folder, 'node_modules', '.bin', 'toolyard'), 'serve', '--sandbox'], {
    cwd: folder,
    env: { ...cleanEnv(), TOOLYARD_PORT: '0', TOOLYARD_DATA: data, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((done) => child.once('close', done))
  let [out, err] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (part: string) => (err += part))
  await new Promise<void>((done, failed) => {
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      out += part
      if (out.includes('curl ')) done()
    })
    void ended.then((code) => failed(new Error(`ended with ${code}:\n${out}\n${err}`)))
  })
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return {
    address: /Address +(\S+)/.exec(out)![1]!,
    token: readFileSync(/Token +in (\S+)/.exec(out)![1]!, 'utf8').trim(),
    stop,
  }
}
