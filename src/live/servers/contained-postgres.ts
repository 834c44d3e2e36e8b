/**
 * A PostgreSQL server in a container, with its files in a volume that is removed with the
 * container.
 */
import type { Client } from 'pg'
import type { StartedTestContainer } from 'testcontainers'
import { LiveProblem } from '../environment/problem.ts'
import { openClient } from '../postgres/open-client.ts'
import type { PostgresHost, PostgresMachine, PostgresSettings } from '../postgres/postgres-machine.ts'
import { usualSettings } from '../postgres/postgres-machine.ts'
import { ContainedServer, type ContainerHandle } from './contained-server.ts'
import type { ContainerNetwork } from './container-network.ts'
import type { Containers } from './containers.ts'
import { serverSettings } from './postgres-settings.ts'
import { takesClients } from './takes-clients.ts'

/**
 * The environment of the public image. No password is needed, because only this machine reaches the
 * port.
 */
const environment = { POSTGRES_HOST_AUTH_METHOD: 'trust', POSTGRES_INITDB_ARGS: '-N --locale=C -E UTF8' }

/**
 * The server prints this line when it is ready. The image prints the line first for a temporary
 * server without TCP, which creates the database. A test connection detects the final server.
 */
const isStarting = 'ready to accept connections'

/** A killed server does not restart by itself. */
const inContainer = ['restart_after_crash=off']

class ContainedPostgres extends ContainedServer implements PostgresMachine {
  protected readonly what = 'PostgreSQL'
  readonly operator = { user: 'postgres', password: '', database: 'postgres' }
  readonly login = { user: 'app', password: 'app', database: 'app' }
  readonly makes = true
  /** A session of the harness that can kill all processes in the container. */
  #inside: Client | null = null

  constructor(
    container: StartedTestContainer,
    handle: ContainerHandle,
    port: number,
    private readonly containers: Containers,
  ) {
    super(container, handle, port)
  }

  answers(): Promise<string | null> {
    return takesClients(this, this.operator)
  }

  /**
   * Starts the container. Resolves when the server accepts clients and the harness's session is
   * open.
   * @throws LiveProblem
   */
  override async start(): Promise<void> {
    await super.start()
    await this.enter()
  }

  async enter(): Promise<void> {
    const { host, port, operator } = this
    this.#inside = await openClient({ host, port, ...operator })
  }

  /**
   * Kills all processes from inside of the container. The engine is slower, so sessions would
   * answer more requests, and it kills the postmaster first, so sessions would notify their
   * clients. A kill from inside does not reach the container's first process. The engine ends that
   * process, unless it ends by itself because all others are gone.
   */
  protected override async end(): Promise<void> {
    await this.#inside!.query("COPY (SELECT) TO PROGRAM 'kill -9 -1'").catch(() => {})
    await super.end()
  }

  close(): Promise<void> {
    return this.containers.remove(this.container)
  }
}

/**
 * Opens the host.
 * @throws LiveProblem if the image is not available, or is not an image of PostgreSQL
 */
export async function openContainedPostgres(
  containers: Containers,
  network: ContainerNetwork,
  image: string,
): Promise<PostgresHost> {
  const start = (settings: PostgresSettings) => launch(containers, network, image, settings)
  // The first container verifies the image. The first run uses it if its settings are the usual
  // ones.
  let spare: ContainedPostgres | null = await start(usualSettings)
  return {
    about: `${image} (${await serverIn(spare.container, image)})`,
    refuses: (power) => (power === 'clock' ? 'a container has the clock of its machine' : null),
    async start(settings) {
      const ready = spare
      spare = null
      if (ready !== null && isUsual(settings)) return ready
      // The spare container is removed, because it occupies the port.
      await ready?.close()
      return start(settings)
    },
    close: async () => {},
  }
}

const isUsual = ({ synchronousCommit, maxConnections }: PostgresSettings): boolean =>
  synchronousCommit === usualSettings.synchronousCommit && maxConnections === usualSettings.maxConnections

async function launch(
  containers: Containers,
  network: ContainerNetwork,
  image: string,
  settings: PostgresSettings,
): Promise<ContainedPostgres> {
  const { container: networkOf, postgresPort: port } = network
  const command = ['postgres', ...serverSettings({ port, addresses: '0.0.0.0', settings }, inContainer)]
  const wish = { image, option: '--postgres-image', command, environment, networkOf } as const
  const container = await containers.start({ ...wish, until: { prints: isStarting } })
  const machine = new ContainedPostgres(container, await containers.handleOf(container), port, containers)
  const problem = await machine.answers()
  if (problem !== null) throw new LiveProblem(`image ${image}`, `its server does not start: ${problem}`)
  await machine.enter()
  return machine
}

async function serverIn(container: StartedTestContainer, image: string): Promise<string> {
  const { output } = await container.exec(['postgres', '--version'])
  const version = /\(PostgreSQL\) (\S+)/.exec(output)?.[1]
  if (version === undefined)
    throw new LiveProblem(`image ${image}`, 'it has no PostgreSQL; give another with --postgres-image')
  return `PostgreSQL ${version}`
}
