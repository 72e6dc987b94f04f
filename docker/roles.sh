# Creates the roles of docs/runbook.md, when PostgreSQL creates the database of compose.yaml.
psql --username=postgres --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 <<SQL
CREATE ROLE petstore_owner LOGIN PASSWORD '$(cat /secrets/petstore_owner)';
CREATE ROLE petstore_rows NOLOGIN;
CREATE ROLE petstore_a LOGIN PASSWORD '$(cat /secrets/petstore_a)' IN ROLE petstore_rows;
GRANT CREATE, USAGE ON SCHEMA public TO petstore_owner;
GRANT USAGE ON SCHEMA public TO petstore_rows;
ALTER DEFAULT PRIVILEGES FOR ROLE petstore_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO petstore_rows;
SQL
