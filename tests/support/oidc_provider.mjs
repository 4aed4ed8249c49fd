// An authorization server whose access tokens are JWTs or opaque: PORT, RESOURCE, FORMAT.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, port, resource, format] = process.argv.slice(2);
const found = createRequire(`${modules}/`).resolve('oidc-provider');
const { default: Provider } = await import(pathToFileURL(found));
const scope = 'books:read books:write books:admin';
const issuer = `http://127.0.0.1:${port}`;
const machine = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
const provider = new Provider(issuer, {
  clients: [
    { client_id: 'machine', client_secret: 's3cret', ...machine },
    { client_id: 'server', client_secret: 'server-s3cret', ...machine },
  ],
  scopes: ['openid', 'offline_access', ...scope.split(' ')],
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: (_, client) => client.clientId === 'server' },
    registration: { enabled: true },
    revocation: { enabled: true },
    dPoP: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, audience) => ({
        scope,
        audience,
        accessTokenTTL: 600,
        accessTokenFormat: format,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});
provider.listen(Number(port), '127.0.0.1', () => console.log('ready'));
