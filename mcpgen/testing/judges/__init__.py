"""What is judged of a live server: each judge as data, as the rules of lint are."""
