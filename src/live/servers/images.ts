/** The default images, as in docker-compose.yml. */
export const images = {
  redis: 'redis:7',
  postgres: 'postgres:15',
  toxiproxy: 'ghcr.io/shopify/toxiproxy:2.12.0',
} as const
